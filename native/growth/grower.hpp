// Grows one tree: from the root, node by node, each split at its best cut.
//
// The sums are whole numbers and ties go to the first column and the lowest place, so that the tree is the same however the
// rows are cut, ordered or shared among threads. Random choices depend on the path to a node, not on the order of growth.
#pragma once

#include "core/clock.hpp"
#include "growth/cut.hpp"
#include "growth/draws.hpp"
#include "growth/median_rows.hpp"
#include "growth/pair_cuts.hpp"
#include "growth/random_cuts.hpp"

namespace suffice {

template <class Rows, template <class> class Columns>
class Grower {
    using Sums = typename Rows::Sums;
    using Table = typename Columns<Rows>::Table;
    static constexpr bool kPairs = std::is_same_v<Rows, PairRows>;
    // Whether cuts may be made in passes over the rows of a node, whose scores follow from their sums.
    static constexpr bool kInPasses = std::is_same_v<Table, CodedTable> && !std::is_same_v<Rows, MedianRows>;

  public:
    Grower(const Table& table, const Targets& targets, const Limits& limits, const std::int8_t* monotone)
        : table_(table), rows_(targets), limits_(limits), monotone_(monotone), same_(targets.same), columns_(table),
          found_(rows_), random_cuts_(rows_), cutting_(rows_, limits, monotone) {}

    const Rows& rows() const { return rows_; }

    // `times` says how often each row counts; null: once. The leaf of every row goes to `leaf`, if asked for: its number
    // k, or −1 − k of a row that does not count.
    template <class Tree>
    void grow(const std::int32_t* times, std::uint64_t seed, std::int32_t* leaf, Clock* clock, Tree& tree) {
        const std::size_t count = columns_.hold(rows_, times);
        const std::size_t deepest = limits_.most_depth < 32 ? std::size_t{1} << limits_.most_depth : count;
        tree.begin(2 * std::min({count, limits_.most_leaves, deepest}) + 1);
        open_.clear(), spans_.clear();
        keeps_spans_ = leaf != nullptr;
        const Sums all = add_node(tree, {0, count});
        weight_ = rows_.weight(all);
        pool_ = drawn_columns(table_.d, limits_.of_tree, seed);
        consider({0, count}, all, 0, 0, seed, {});
        for (std::size_t leaves = 1; !open_.empty() && leaves < limits_.most_leaves; ++leaves) {
            split(tree, next());
            if (clock) clock->poll();
        }
        if constexpr (std::is_same_v<Tree, Grown<Sums>>)
            if (leaf) write_leaves(tree, times, leaf);
    }

  private:
    // A node that can be split, and its rows.
    struct Waiting {
        Open open;
        Span span;
    };

    template <class Tree>
    Sums add_node(Tree& tree, Span span) {
        Sums sums = rows_.zero();
        for (std::size_t i = span.begin; i < span.end; ++i) Rows::add(sums, columns_.own(i));
        rows_.close(sums);
        tree.add(rows_, sums);
        if (keeps_spans_) spans_.push_back(span);
        return sums;
    }

    Waiting next() {
        auto at = open_.end() - 1;
        if (limits_.best_first)
            for (auto it = open_.begin(); it != open_.end(); ++it) {
                const Split &own = it->open.split, &best = at->open.split;
                if (own.gain > best.gain || (own.gain == best.gain && it->open.node < at->open.node)) at = it;
            }
        Waiting found = *at;
        open_.erase(at);
        return found;
    }

    void consider(Span span, const Sums& sums, std::size_t node, std::size_t depth, std::uint64_t seed, Bounds bounds) {
        if (depth >= limits_.most_depth || span.size() < 2 || is_pure(span)) return;
        if (rows_.weight(sums) < std::max(limits_.least_split, 2 * limits_.least_leaf)) return;
        Open open{node, depth, seed, bounds, {}, 0, 0};
        search(sums, span, open);
        const double slack = kTie * weight_ * std::abs(limits_.least_gain) + kTie * std::abs(rows_.score(sums));
        if (open.split.column >= 0 && open.split.gain >= limits_.least_gain * weight_ - slack) open_.push_back({open, span});
    }

    bool is_pure(Span span) const {
        for (std::size_t i = span.begin + 1; i < span.end; ++i)
            if (same_[columns_.row(i)] != same_[columns_.row(span.begin)]) return false;
        return true;
    }

    template <class Tree>
    void split(Tree& tree, const Waiting& waiting) {
        const auto& [open, span] = waiting;
        const std::size_t middle = columns_.divide(span, open.split), left = tree.size();
        tree.split(open.node, left, open.split);
        const Span left_span{span.begin, middle}, right_span{middle, span.end};
        const Sums left_sums = add_node(tree, left_span), right_sums = add_node(tree, right_span);
        std::uint64_t seed = open.seed;
        const std::uint64_t right_seed = next_random(seed), left_seed = next_random(seed);
        const auto [left_bounds, right_bounds] = open.halves(monotone_ ? monotone_[open.split.column] : 0);
        consider(right_span, right_sums, left + 1, open.depth + 1, right_seed, right_bounds);
        consider(left_span, left_sums, left, open.depth + 1, left_seed, left_bounds);
    }

    void search(const Sums& sums, Span span, Open& open) {
        drawn_ = pool_;
        const double parent = rows_.score(sums);
        tie_ = kTie * std::abs(parent);
        const std::size_t d = pool_.size();
        for (std::size_t j = 0; j < d && (j < limits_.tried || open.split.column < 0); ++j) {
            if (limits_.tried < d) std::swap(drawn_[j], drawn_[j + below(open.seed, d - j)]);
            try_column(drawn_[j], sums, span, open);
        }
        open.split.gain -= parent;
    }

    void try_column(std::size_t column, const Sums& sums, Span span, Open& open) {
        if constexpr (kInPasses)
            if (table_.complete && table_.complete[column] && !table_.categorical[column] && !monotone_) {
                if (limits_.random_cuts) return try_random(column, sums, span, open);
                if constexpr (kPairs) return try_pairs(column, sums, span, open);
            }
        columns_.collect(column, span, found_);
        cutting_.look(table_, column, found_, sums, tie_, open);
        found_.clear();
    }

    void try_random(std::size_t column, const Sums& sums, Span span, Open& open) {
        columns_.with_owns(span, [&](const auto& own) {
            random_cuts_.look(table_, column, columns_.rows() + span.begin, [&](std::size_t i) { return own(span.begin + i); },
                              span.size(), rows_, sums, limits_.least_leaf, tie_, open);
        });
    }

    void try_pairs(std::size_t column, const Sums& sums, Span span, Open& open) {
        columns_.with_owns(span, [&](const auto& own) {
            pair_cuts_.look(table_.column(column), columns_.rows() + span.begin, [&](std::size_t i) { return own(span.begin + i); },
                            span.size(), rows_, sums, limits_.least_leaf, tie_, column, open.split);
        });
    }

    void write_leaves(const Grown<Sums>& tree, const std::int32_t* times, std::int32_t* leaf) const {
        for (Row i = 0; times && i < table_.n; ++i)
            if (times[i] == 0) leaf[i] = -1 - leaf_of(tree.nodes, table_, i);
        for (std::size_t k = 0; k < tree.nodes.size(); ++k)
            if (tree.nodes[k].left < 0)
                for (std::size_t i = spans_[k].begin; i < spans_[k].end; ++i)
                    leaf[columns_.row(i)] = static_cast<std::int32_t>(k);
    }

    const Table& table_;
    const Rows rows_;
    const Limits& limits_;
    const std::int8_t* monotone_;
    const std::int64_t* same_;
    Columns<Rows> columns_;
    Collected<Rows> found_;
    PairCuts pair_cuts_;
    RandomCuts<Rows> random_cuts_;
    Cutting<Rows> cutting_;
    std::vector<std::size_t> pool_, drawn_;
    std::vector<Span> spans_;  // of the nodes, where leaves are asked for
    bool keeps_spans_ = false;
    std::vector<Waiting> open_;
    double tie_ = 0, weight_ = 0;  // of the node; of the root
};

}  // namespace suffice
