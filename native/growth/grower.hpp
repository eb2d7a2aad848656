// Grows one tree: from the root, node by node, each split at its best cut.
//
// The sums are whole numbers and ties go to the first column and the lowest place, so that the tree is the same however the
// rows are cut, ordered or shared among threads. Random choices depend on the path to a node, not on the order of growth.
#pragma once

#include "core/clock.hpp"
#include "growth/cut.hpp"
#include "growth/draws.hpp"
#include "growth/pair_cuts.hpp"

namespace suffice {

template <class Rows, template <class> class Columns>
class Grower {
    using Sums = typename Rows::Sums;
    using Table = typename Columns<Rows>::Table;

  public:
    Grower(const Table& table, const Targets& targets, const Limits& limits, const std::int8_t* monotone)
        : table_(table), rows_(targets), limits_(limits), monotone_(monotone), same_(targets.same), columns_(table),
          found_(rows_), cutting_(rows_, limits, monotone) {}

    const Rows& rows() const { return rows_; }

    // `times` says how often each row counts; null: once. The leaf of every row goes to `leaf`, if asked for: its number
    // k, or −1 − k of a row that does not count.
    void grow(const std::int32_t* times, std::uint64_t seed, std::int32_t* leaf, Clock* clock, Grown<Sums>& tree) {
        const std::size_t count = columns_.hold(rows_, times);
        tree.nodes.clear(), tree.sums.clear();
        open_.clear();
        spans_.clear();
        add_node(tree, {0, count});
        weight_ = rows_.weight(tree.sums[0]);
        pool_ = drawn_columns(table_.d, limits_.of_tree, seed);
        consider(tree, 0, 0, seed, {});
        for (std::size_t leaves = 1; !open_.empty() && leaves < limits_.most_leaves; ++leaves) {
            split(tree, next());
            if (clock) clock->poll();
        }
        if (leaf) write_leaves(tree, times, leaf);
    }

  private:
    void add_node(Grown<Sums>& tree, Span span) {
        Sums sums = rows_.zero();
        for (std::size_t i = span.begin; i < span.end; ++i) Rows::add(sums, columns_.own(i));
        rows_.close(sums);
        tree.nodes.emplace_back();
        tree.sums.push_back(std::move(sums));
        spans_.push_back(span);
    }

    Open next() {
        auto at = open_.end() - 1;
        if (limits_.best_first)
            for (auto it = open_.begin(); it != open_.end(); ++it)
                if (it->split.gain > at->split.gain || (it->split.gain == at->split.gain && it->node < at->node)) at = it;
        Open found = *at;
        open_.erase(at);
        return found;
    }

    void consider(const Grown<Sums>& tree, std::size_t node, std::size_t depth, std::uint64_t seed, Bounds bounds) {
        const Sums& sums = tree.sums[node];
        const Span span = spans_[node];
        if (depth >= limits_.most_depth || span.size() < 2 || is_pure(span)) return;
        if (rows_.weight(sums) < std::max(limits_.least_split, 2 * limits_.least_leaf)) return;
        Open open{node, depth, seed, bounds, {}, 0, 0};
        search(sums, span, open);
        const double slack = kTie * weight_ * std::abs(limits_.least_gain) + kTie * std::abs(rows_.score(sums));
        if (open.split.column >= 0 && open.split.gain >= limits_.least_gain * weight_ - slack) open_.push_back(open);
    }

    bool is_pure(Span span) const {
        for (std::size_t i = span.begin + 1; i < span.end; ++i)
            if (same_[columns_.row(i)] != same_[columns_.row(span.begin)]) return false;
        return true;
    }

    void split(Grown<Sums>& tree, const Open& open) {
        const Span span = spans_[open.node];
        const std::size_t middle = columns_.divide(span, open.split);
        const std::size_t left = tree.nodes.size();
        tree.nodes[open.node] = {static_cast<std::int32_t>(left), open.split};
        add_node(tree, {span.begin, middle});
        add_node(tree, {middle, span.end});
        std::uint64_t seed = open.seed;
        const std::uint64_t right_seed = next_random(seed), left_seed = next_random(seed);
        const auto [left_bounds, right_bounds] = open.halves(monotone_ ? monotone_[open.split.column] : 0);
        consider(tree, left + 1, open.depth + 1, right_seed, right_bounds);
        consider(tree, left, open.depth + 1, left_seed, left_bounds);
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
        if constexpr (std::is_same_v<Rows, PairRows> && std::is_same_v<Table, CodedTable>) {
            if (table_.complete && table_.complete[column] && !table_.categorical[column] && !monotone_ && !limits_.random_cuts)
                return pair_cuts_.look(table_.column(column), columns_.rows() + span.begin, columns_.owns() + span.begin,
                                       span.size(), rows_, sums, limits_.least_leaf, tie_, column, open.split);
        }
        columns_.collect(column, span, found_);
        cutting_.look(table_, column, found_, sums, tie_, open);
        found_.clear();
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
    Cutting<Rows> cutting_;
    std::vector<std::size_t> pool_, drawn_;
    std::vector<Span> spans_;
    std::vector<Open> open_;
    double tie_ = 0, weight_ = 0;  // of the node; of the root
};

}  // namespace suffice
