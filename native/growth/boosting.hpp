// Grows trees of gradients, curvatures and weights on codes, one after the other, by the rules of `Grower`, on several
// threads.
//
// Nodes of many rows hold histograms: that of the smaller child is summed from its rows, that of the larger is what is left
// of the parent's. Few rows are looked at as they are.
#pragma once

#include <memory>

#include "core/clock.hpp"
#include "growth/cut.hpp"
#include "growth/histograms.hpp"
#include "growth/triple_cuts.hpp"

namespace suffice {

constexpr double kWorthThreads = 4e5;  // cells of a table

// What the growth of all trees is told beside their limits.
struct Boosted {
    const Code* by_row;            // (n, d)
    const std::int8_t* monotone;   // (d), or null
    const std::uint8_t* together;  // (groups, d): columns that may stand on one path, or null
    std::size_t groups;
};

// What one tree is told: what its sums stand for, how they are packed, which rows count (null: all) and where chance begins.
struct Step {
    TripleUnits units;
    Packing packing;
    const std::int32_t* times;  // (n): 0 or 1, or null
    std::uint64_t seed;
};

class BoostedGrower {
    using Sums = std::vector<std::int64_t>;

  public:
    using Tree = Grown<TripleSums>;

    BoostedGrower(const CodedTable& table, const Limits& limits, const Boosted& asked, Team& team)
        : table_(table), rows_(units_), limits_(limits), asked_(asked), team_(team),
          histograms_(table, asked.by_row, team), held_(team), candidates_(2 * table.d) {
        for (std::size_t t = 0; t < team.size(); ++t) workers_.push_back(std::make_unique<Worker>(*this));
    }

    // A tree of rows that add adds(row).
    template <class Adds>
    Tree grow(const Step& step, const Adds& adds, Clock& clock) {
        Tree tree;
        units_ = step.units;
        few_ = table_.n <= kSmall ? std::clamp(step.packing.rows, kFew, kFewOfSmall) : kFew;
        spans_.clear(), bounds_.clear(), active_.clear(), open_.clear();
        const TripleSums total = held_.hold(step.packing, table_.n, step.times, adds);
        add_node(tree, {0, held_.size()}, total, {});
        if (asked_.together) active_.push_back(std::vector<std::uint8_t>(asked_.groups, 1));
        Side root{0, 0, step.seed, {}, nullptr};
        if (may_split(tree, root)) {
            const bool many = spans_[0].size() > few_;
            if (many) histograms_.begin(held_, spans_[0], (root.sums = slot())->data());
            consider(tree, &root, 1, {many, nullptr, 0});
        }
        for (std::size_t leaves = 1; !open_.empty() && leaves < limits_.most_leaves; ++leaves) {
            split(tree, next(), leaves + 1 == limits_.most_leaves);
            clock.poll();
        }
        open_.clear();
        return tree;
    }

    // Calls take(row, leaf) for every row, whether it counts or not; rows of several threads differ.
    template <class Take>
    void each_leaf(const Tree& tree, const std::int32_t* times, const Take& take) {
        std::vector<std::pair<Span, std::size_t>> leaves;
        for (std::size_t k = 0; k < tree.nodes.size(); ++k)
            if (tree.nodes[k].left < 0 && spans_[k].size() > 0) leaves.push_back({spans_[k], k});
        std::sort(leaves.begin(), leaves.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
        team_.share((held_.size() + kPart - 1) / kPart, [&](std::size_t p, std::size_t) {
            const std::size_t end = std::min(held_.size(), (p + 1) * kPart);
            auto leaf = std::partition_point(leaves.begin(), leaves.end(), [&](const auto& l) { return l.first.end <= p * kPart; });
            for (std::size_t i = p * kPart; i < end; ++leaf)
                for (; i < std::min(end, leaf->first.end); ++i) take(held_.row[i], leaf->second);
        });
        if (!times) return;
        team_.share((table_.n + kPart - 1) / kPart, [&](std::size_t p, std::size_t) {
            for (std::size_t i = p * kPart; i < std::min(table_.n, (p + 1) * kPart); ++i)
                if (times[i] == 0)
                    take(static_cast<Row>(i), static_cast<std::size_t>(leaf_of(tree.nodes, table_, static_cast<Row>(i))));
        });
    }
    // The rows of a node that count.
    Span span(std::size_t node) const { return spans_[node]; }
    Row row(std::size_t at) const { return held_.row[at]; }
    const Bounds& bounds(std::size_t node) const { return bounds_[node]; }
    const TripleRows& rows() const { return rows_; }

  private:
    static constexpr std::size_t kFew = 256;          // rows that are looked at as they are
    static constexpr std::size_t kFewOfSmall = 1024;  // the same where the codes of a table of kSmall rows stay near
    static constexpr std::size_t kSmall = 4096;
    static constexpr std::size_t kPart = 2048;    // rows that a thread takes at once
    static constexpr std::size_t kWorth = 2048;  // cells for which threads are called

    using Slot = std::shared_ptr<Sums>;  // the histogram of a node
    struct Candidate {
        Open open;
        Slot sums;
    };
    struct Side {  // a child that is looked at
        std::size_t node, depth;
        std::uint64_t seed;
        Bounds bounds;
        Slot sums;  // null where it has few rows
    };
    struct Worker {  // what a thread needs of its own
        explicit Worker(const BoostedGrower& own)
            : found(own.rows_), cutting(own.rows_, own.limits_, own.asked_.monotone), few(own.table_) {
            found.places.reserve(kCodes);
        }
        Collected<TripleRows> found;
        Cutting<TripleRows> cutting;
        FewRows few;
        TripleCuts cuts;
        double best[2];  // score of a column so far, of each node that is looked at
    };

    void add_node(Tree& tree, Span span, const TripleSums& sums, const Bounds& bounds) {
        tree.nodes.emplace_back();
        tree.sums.push_back(sums);
        spans_.push_back(span);
        bounds_.push_back(bounds);
    }

    double score(const Tree& tree, std::size_t node) const {
        return asked_.monotone ? rows_.score(tree.sums[node], bounds_[node]) : rows_.score(tree.sums[node]);
    }

    bool may_split(const Tree& tree, const Side& side) const {
        const double weight = rows_.weight(tree.sums[side.node]);
        return side.depth < limits_.most_depth && spans_[side.node].size() > 1 &&
               weight >= std::max(limits_.least_split, 2 * limits_.least_leaf);
    }

    Candidate next() {
        auto at = open_.end() - 1;
        if (limits_.best_first)
            for (auto it = open_.begin(); it != open_.end(); ++it) {
                const double gain = it->open.split.gain, most = at->open.split.gain;
                if (gain > most || (gain == most && it->open.node < at->open.node)) at = it;
            }
        Candidate found = std::move(*at);
        open_.erase(at);
        return found;
    }

    Slot slot() {
        for (auto& each : slots_)
            if (each.use_count() == 1) return each;
        return slots_.emplace_back(std::make_shared<Sums>(table_.d * kCellSums));
    }

    // ---- splits ----

    void split(Tree& tree, const Candidate& parent, bool is_last) {
        const Open& open = parent.open;
        const Span span = spans_[open.node];
        const Code* code = table_.column(static_cast<std::size_t>(open.split.column));
        const auto [middle, first] = held_.divide(span, open.split, code);
        const std::size_t left = tree.nodes.size();
        tree.nodes[open.node] = {static_cast<std::int32_t>(left), open.split};
        const auto way = asked_.monotone ? asked_.monotone[open.split.column] : 0;
        const auto [left_bounds, right_bounds] = open.halves(way);
        add_node(tree, {span.begin, middle}, first, left_bounds);
        add_node(tree, {middle, span.end}, tree.sums[open.node] - first, right_bounds);
        narrow(open);
        if (is_last) return;
        std::uint64_t seed = open.seed;
        const std::uint64_t right_seed = next_random(seed), left_seed = next_random(seed);
        look(tree, {left + 1, open.depth + 1, right_seed, right_bounds, nullptr},
             {left, open.depth + 1, left_seed, left_bounds, nullptr}, parent.sums);
    }

    // Both children; their histograms where the larger has many rows.
    void look(Tree& tree, Side right, Side left, const Slot& parent) {
        const bool right_splits = may_split(tree, right), left_splits = may_split(tree, left);
        if (!right_splits && !left_splits) return;
        const bool right_larger = spans_[right.node].size() > spans_[left.node].size();
        Side &larger = right_larger ? right : left, &smaller = right_larger ? left : right;
        const std::int64_t* less = nullptr;
        if (parent && spans_[larger.node].size() > few_) {
            smaller.sums = slot();
            histograms_.begin(held_, spans_[smaller.node], smaller.sums->data());
            larger.sums = parent;
            less = smaller.sums->data();
        }
        Side sides[] = {right, left};
        const bool both = right_splits && left_splits, has_larger = both || right_splits == right_larger;
        const Unfinished begun{less != nullptr, has_larger ? less : nullptr, both && !right_larger ? std::size_t{1} : 0};
        consider(tree, sides + (right_splits ? 0 : 1), both ? 2 : 1, begun);
    }

    // Whether a histogram was begun; and, unless null, that it is to be taken away from the one of node number `larger`.
    struct Unfinished {
        bool is_begun;
        const std::int64_t* less;
        std::size_t larger;
    };

    // Looks for the best splits of some nodes, column by column, whose histograms are finished first.
    void consider(const Tree& tree, Side* sides, std::size_t count, const Unfinished& begun) {
        const std::size_t d = table_.d;
        // Where columns are drawn or refused by their path, any of them may have to be the best.
        const bool is_open = limits_.tried >= d && !asked_.together;
        double ties[2] = {};
        for (std::size_t s = 0; s < count; ++s) ties[s] = kTie * std::abs(score(tree, sides[s].node));
        for (auto& worker : workers_) std::fill_n(worker->best, 2, -std::numeric_limits<double>::infinity());
        const auto try_column = [&](std::size_t j, std::size_t thread) {
            if (begun.is_begun) histograms_.finish(held_, j);
            for (std::size_t s = 0; s < count; ++s) {
                const Side& side = sides[s];
                Worker& own = *workers_[thread];
                std::int64_t* cells = side.sums ? side.sums->data() + j * kCellSums : nullptr;
                if (cells && begun.less && s == begun.larger)
                    for (std::size_t k = 0; k < kCellSums; ++k) cells[k] -= begun.less[j * kCellSums + k];
                Open& open = candidates_[s * d + j];
                open = {side.node, side.depth, side.seed, side.bounds, {}, 0, 0};
                if (is_open) open.split.gain = own.best[s] - 2 * ties[s];  // what is below cannot be chosen
                look(own, j, side, cells, tree.sums[side.node], ties[s], open);
                if (open.split.column >= 0) own.best[s] = std::max(own.best[s], open.split.gain);
            }
        };
        std::size_t cells = 0;
        for (std::size_t s = 0; s < count; ++s) cells += d * spans_[sides[s].node].size();
        if (cells > kWorth) team_.share(d, try_column);
        else
            for (std::size_t j = 0; j < d; ++j) try_column(j, 0);
        for (std::size_t s = 0; s < count; ++s) choose(tree, sides[s], &candidates_[s * d]);
    }

    // The best cut of a column, from its histogram or from the rows.
    void look(Worker& own, std::size_t j, const Side& side, const std::int64_t* cells, const TripleSums& sums, double tie,
              Open& open) {
        const bool plain = !cells && table_.complete && table_.complete[j] && !table_.categorical[j] && !asked_.monotone;
        if (plain && held_.packing().rows)
            return own.cuts.look(table_.column(j), held_, spans_[side.node], rows_, sums, limits_.least_leaf, tie, j, open.split);
        if (cells) collect(cells, own.found);
        else own.few.collect(j, held_, spans_[side.node], own.found);
        own.cutting.look(table_, j, own.found, sums, tie, open);
        own.found.clear();
    }

    void choose(const Tree& tree, Side& side, const Open* candidates) {
        const double parent = score(tree, side.node), tie = kTie * std::abs(parent);
        pool_.clear();
        for (std::size_t j = 0; j < table_.d; ++j)
            if (!asked_.together || is_allowed(side.node, j)) pool_.push_back(j);
        Open best{side.node, side.depth, side.seed, side.bounds, {}, 0, 0};
        std::uint64_t seed = side.seed;
        const std::size_t d = pool_.size();
        for (std::size_t j = 0; j < d && (j < limits_.tried || best.split.column < 0); ++j) {
            if (limits_.tried < d) std::swap(pool_[j], pool_[j + below(seed, d - j)]);
            const Open& own = candidates[pool_[j]];
            if (own.split.column >= 0 && own.split.gain > best.split.gain + tie) best = own;
        }
        best.seed = seed;
        best.split.gain -= parent;
        if (best.split.column >= 0 && best.split.gain > tie) open_.push_back({best, std::move(side.sums)});
    }

    // ---- groups of columns that may stand on one path ----

    bool is_allowed(std::size_t node, std::size_t column) const {
        for (std::size_t g = 0; g < asked_.groups; ++g)
            if (active_[node][g] && asked_.together[g * table_.d + column]) return true;
        return false;
    }
    void narrow(const Open& open) {
        if (!asked_.together) return;
        auto own = active_[open.node];
        for (std::size_t g = 0; g < asked_.groups; ++g)
            own[g] &= asked_.together[g * table_.d + static_cast<std::size_t>(open.split.column)];
        active_.push_back(own);
        active_.push_back(std::move(own));
    }

    const CodedTable& table_;
    TripleUnits units_{};  // of the tree that grows
    const TripleRows rows_;
    const Limits& limits_;
    const Boosted& asked_;
    Team& team_;
    Histograms histograms_;
    std::size_t few_ = kFew;  // rows that need no histogram, in the tree that grows
    HeldRows held_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Open> candidates_;  // (2, d)
    std::vector<Candidate> open_;
    std::vector<Span> spans_;
    std::vector<Bounds> bounds_;  // of what each node may say
    std::vector<Slot> slots_;
    std::vector<std::vector<std::uint8_t>> active_;  // groups of each node, whose columns include all of its path
    std::vector<std::size_t> pool_;
};

}  // namespace suffice
