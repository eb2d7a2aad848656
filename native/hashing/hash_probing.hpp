// Which buckets of hash tables a query looks into.
//
// A bucket is a whole number made of K projections of a row: their signs (random hyperplanes, for angles), or the cells of
// width 1 they fall in (p-stable, for Euclidean distances). A query looks into its own bucket of each table and then into
// those that are nearest to it, whatever the table, in the order of how far the projections would have to move (Lv et al.,
// 2007).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <vector>

namespace suffice {

inline constexpr std::size_t kMost = 32;  // projections of a table

struct Shape {
    bool by_sign;
    std::size_t tables, projections, bits;  // 2^bits buckets a table
};

inline std::uint32_t bucket_of(const std::int32_t* code, const Shape& shape) {
    std::uint64_t mixed = 0;
    if (shape.by_sign) {
        for (std::size_t j = 0; j < shape.projections; ++j) mixed = mixed << 1 | static_cast<std::uint64_t>(code[j] & 1);
        return static_cast<std::uint32_t>(mixed);
    }
    for (std::size_t j = 0; j < shape.projections; ++j) {
        mixed = (mixed ^ static_cast<std::uint64_t>(static_cast<std::uint32_t>(code[j]))) * 0x9E3779B97F4A7C15ull;
        mixed ^= mixed >> 29;
    }
    return static_cast<std::uint32_t>(mixed >> (64 - shape.bits));
}

inline void codes_of(const float* projected, const Shape& shape, std::int32_t* code) {
    for (std::size_t j = 0; j < shape.projections; ++j)
        code[j] = shape.by_sign ? projected[j] >= 0 : static_cast<std::int32_t>(std::floor(projected[j]));
}

struct Tables {
    Shape shape;
    const std::int32_t* starts;  // (tables, buckets + 1)
    const std::int32_t* order;   // (tables, n): rows by bucket
    std::size_t n;
};

// One step of a projection to a cell nearby.
struct Step {
    float cost;
    std::int16_t projection, move;
    bool operator<(const Step& other) const { return cost < other.cost; }
};

// Some steps of one table, as bits in the order of their costs.
struct Probe {
    float cost;
    std::uint32_t table;
    std::uint64_t steps;
    std::uint32_t last;
    bool operator<(const Probe& other) const {  // the cheapest comes out of a queue first
        return cost > other.cost || (cost == other.cost && table > other.table);
    }
};

class Prober {
  public:
    explicit Prober(const Tables& tables)
        : tables_(tables), code_(tables.shape.tables * kMost), steps_(tables.shape.tables), seen_((tables.n + 63) / 64) {}

    // The rows in the `probes` best buckets, each once.
    const std::vector<std::int32_t>& rows(const float* projected, std::size_t probes) {
        visits_.clear();
        queue_ = {};
        const Shape& shape = tables_.shape;
        for (std::size_t t = 0; t < shape.tables; ++t) {
            prepare(t, projected + t * shape.projections);
            visit(t, 0);
        }
        while (visits_.size() < probes && !queue_.empty()) {
            const Probe best = queue_.top();
            queue_.pop();
            if (best.last == 0 && best.steps == 1) std::sort(steps_[best.table].begin(), steps_[best.table].end());
            advance(best);
            if (is_possible(best)) visit(best.table, best.steps);
        }
        collect();
        return found_;
    }

  private:
    void prepare(std::size_t t, const float* projected) {
        const Shape& shape = tables_.shape;
        std::int32_t* code = &code_[t * kMost];
        codes_of(projected, shape, code);
        auto& steps = steps_[t];
        steps.clear();
        for (std::size_t j = 0; j < shape.projections; ++j) {
            const auto at = static_cast<std::int16_t>(j);
            if (shape.by_sign) {
                steps.push_back({projected[j] * projected[j], at, static_cast<std::int16_t>(code[j] ? -1 : 1)});
                continue;
            }
            const float below = projected[j] - static_cast<float>(code[j]), above = 1 - below;
            steps.push_back({below * below, at, -1});
            steps.push_back({above * above, at, 1});
        }
        const float least = std::min_element(steps.begin(), steps.end())->cost;
        queue_.push({least, static_cast<std::uint32_t>(t), 1, 0});  // the others are sorted when they are needed
    }

    // The next sets of steps: one more, or the last one exchanged for the next.
    void advance(const Probe& probe) {
        const auto& steps = steps_[probe.table];
        const std::uint32_t next = probe.last + 1;
        if (next >= steps.size()) return;
        const std::uint64_t bit = std::uint64_t{1} << next;
        queue_.push({probe.cost + steps[next].cost, probe.table, probe.steps | bit, next});
        const std::uint64_t without = probe.steps & ~(std::uint64_t{1} << probe.last);
        queue_.push({probe.cost - steps[probe.last].cost + steps[next].cost, probe.table, without | bit, next});
    }

    // A projection cannot move both ways.
    bool is_possible(const Probe& probe) const {
        std::uint64_t moved = 0;
        for (std::uint64_t rest = probe.steps; rest != 0; rest &= rest - 1) {
            const Step& step = steps_[probe.table][static_cast<std::size_t>(__builtin_ctzll(rest))];
            const std::uint64_t bit = std::uint64_t{1} << step.projection;
            if (moved & bit) return false;
            moved |= bit;
        }
        return true;
    }

    void visit(std::size_t t, std::uint64_t steps) {
        std::int32_t code[kMost];
        std::copy_n(&code_[t * kMost], tables_.shape.projections, code);
        for (; steps != 0; steps &= steps - 1) {
            const Step& step = steps_[t][static_cast<std::size_t>(__builtin_ctzll(steps))];
            code[step.projection] += step.move;
        }
        const std::size_t bucket = bucket_of(code, tables_.shape);
        const std::int32_t* start = tables_.starts + t * ((std::size_t{1} << tables_.shape.bits) + 1) + bucket;
        __builtin_prefetch(start);
        visits_.push_back({start, tables_.order + t * tables_.n});
    }

    // The rows of all buckets; what is needed next is fetched meanwhile. Bits say which were found: few enough for the
    // nearest caches, and taken away again one by one.
    void collect() {
        found_.clear();
        for (const Visit& one : visits_) __builtin_prefetch(one.order + one.start[0]);
        for (const Visit& one : visits_)
            for (std::int32_t e = one.start[0]; e < one.start[1]; ++e) {
                const auto row = static_cast<std::uint32_t>(one.order[e]);
                const std::uint64_t bit = std::uint64_t{1} << (row & 63);
                if (seen_[row >> 6] & bit) continue;
                seen_[row >> 6] |= bit;
                found_.push_back(one.order[e]);
            }
        for (const std::int32_t row : found_) seen_[static_cast<std::size_t>(row) >> 6] = 0;
    }

    struct Visit {
        const std::int32_t *start, *order;
    };

    const Tables& tables_;
    std::vector<std::int32_t> code_;
    std::vector<std::vector<Step>> steps_;
    std::vector<std::uint64_t> seen_;  // a bit for each row
    std::vector<std::int32_t> found_;
    std::priority_queue<Probe> queue_;
    std::vector<Visit> visits_;
};

}  // namespace suffice
