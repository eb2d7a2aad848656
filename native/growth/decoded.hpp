// Trees of codes and whole sums as models hold them: thresholds, sets of categories, weights and values.
#pragma once

#include <limits>
#include <numeric>

#include "core/growing.hpp"
#include "growth/pair_rows.hpp"
#include "growth/tree.hpp"

namespace suffice {

// What codes and sums stand for.
struct Decoding {
    const double *edges, *low, *high;  // (d, 256): between codes, and the least and the greatest value of each
    const std::uint8_t* exact;         // (d): whether every value has a code of its own
    const std::uint8_t* recode;        // the codes of the categories of each column
    const std::int64_t* starts;        // (d + 1), of them
    const double* centre;              // (k − 1), to which means are added; null: nodes say shares of classes

    // The middle of the values on both sides, or the edge between the codes; infinite where only missing cells go right.
    double threshold(const Split& s) const {
        const std::size_t row = static_cast<std::size_t>(s.column) * kCodes;
        if (s.next == s.last) return std::numeric_limits<double>::infinity();
        if (!exact[s.column]) return edges[row + s.last];
        const double below = high[row + s.last], above = low[row + s.next], middle = below / 2 + above / 2;
        return middle >= below && middle < above ? middle : below;
    }
    std::size_t words(std::int32_t column) const {
        return (static_cast<std::size_t>(starts[column + 1] - starts[column]) + 63) / 64;
    }
    // A bit for each category; those never seen go where missing cells go.
    void spread(const Split& s, std::vector<std::uint64_t>& sets) const {
        const auto first = static_cast<std::size_t>(starts[s.column]);
        const std::size_t count = static_cast<std::size_t>(starts[s.column + 1]) - first, width = words(s.column);
        const std::size_t at = sets.size();
        sets.resize(at + width, s.missing_left ? ~std::uint64_t{0} : 0);
        for (std::size_t c = 0; c < count; ++c) {
            const std::uint64_t bit = std::uint64_t{1} << (c & 63);
            if (contains(s.left, recode[first + c])) sets[at + c / 64] |= bit;
            else sets[at + c / 64] &= ~bit;
        }
    }
};

struct DecodedTree {
    std::vector<std::int32_t> column, left;
    std::vector<double> threshold, gain, weight, value;  // (nodes), the last (nodes · q)
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint64_t> sets;

    // Of nodes and their sums, (nodes · k).
    void fill(const std::vector<Node>& nodes, const std::int64_t* sums, const Targets& targets, bool several, const Decoding& decoding) {
        const std::size_t count = nodes.size(), k = targets.k, q = decoding.centre ? k - 1 : k;
        for (auto* each : {&column, &left}) each->resize(count);
        for (auto* each : {&threshold, &gain, &weight}) each->resize(count);
        value.resize(count * q), missing_left.resize(count), sets.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const auto& [below, split] = nodes[i];
            const bool inner = below >= 0;
            column[i] = inner ? split.column : -1;
            left[i] = below;
            missing_left[i] = inner && split.missing_left;
            gain[i] = inner ? split.gain : 0.0;
            threshold[i] = !inner ? 0.0 : split.categorical ? static_cast<double>(sets.size()) : decoding.threshold(split);
            if (inner && split.categorical) decoding.spread(split, sets);
            const std::int64_t* own = sums + i * k;
            const std::int64_t whole = several ? std::accumulate(own, own + k, std::int64_t{0}) : own[k - 1];
            weight[i] = static_cast<double>(whole) * targets.weight_unit;
            const auto atleast_one = static_cast<double>(std::max<std::int64_t>(1, whole));
            if (decoding.centre) means(own, targets, atleast_one, decoding.centre, &value[i * q]);
            else shares(own, k, several, atleast_one, &value[i * q]);
        }
    }

  private:
    static void means(const std::int64_t* sums, const Targets& targets, double whole, const double* centre, double* out) {
        const double weight = whole * targets.weight_unit;
        for (std::size_t c = 0; c + 1 < targets.k; ++c)
            out[c] = static_cast<double>(sums[c]) * targets.first_unit / weight + centre[c];
    }
    static void shares(const std::int64_t* sums, std::size_t k, bool several, double whole, double* out) {
        if (!several) out[0] = static_cast<double>(sums[1] - sums[0]) / whole, out[1] = static_cast<double>(sums[0]) / whole;
        else
            for (std::size_t c = 0; c < k; ++c) out[c] = static_cast<double>(sums[c]) / whole;
    }
};

// One tree after the other.
struct DecodedTrees {
    Growing<std::int64_t> starts;
    Growing<std::int32_t> column, left;
    Growing<double> threshold, gain, weight, value;
    Growing<std::uint8_t> missing_left;
    Growing<std::uint64_t> sets;

    DecodedTrees() { starts.push_back(0); }

    // The sets of the tree begin behind those that are there already.
    void append(DecodedTree& tree, const Decoding& decoding) {
        const auto before = static_cast<double>(sets.size());
        for (std::size_t i = 0; !tree.sets.empty() && i < tree.column.size(); ++i)
            if (tree.column[i] >= 0 && decoding.words(tree.column[i]) > 0) tree.threshold[i] += before;
        column.append(tree.column), left.append(tree.left), threshold.append(tree.threshold), gain.append(tree.gain);
        weight.append(tree.weight), value.append(tree.value), missing_left.append(tree.missing_left), sets.append(tree.sets);
        starts.push_back(static_cast<std::int64_t>(column.size()));
    }
};

inline nb::tuple to_python(DecodedTrees&& t) {
    return nb::make_tuple(owned(std::move(t.starts)), owned(std::move(t.column)), owned(std::move(t.left)),
                          owned(std::move(t.threshold)), owned(std::move(t.missing_left)), owned(std::move(t.gain)),
                          owned(std::move(t.weight)), owned(std::move(t.value)), owned(std::move(t.sets)));
}

}  // namespace suffice
