// Grows one tree: from the root, node by node, each split at its best cut.
//
// The sums are whole numbers and ties go to the first column and the lowest place, so that the tree is the same however the
// rows are cut, ordered or shared among threads. Random choices depend on the path to a node, not on the order of growth.
#pragma once

#include "core/clock.hpp"
#include "growth/columns.hpp"
#include "growth/pair_rows.hpp"

namespace suffice {

constexpr double kTie = 1e-12;  // scores closer than this part of the node's are equal

// What leaves may say, where constraints hold it.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool holds(double value) const { return value >= low && value <= high; }
};

template <class Rows, template <class> class Columns>
class Grower {
    using Sums = typename Rows::Sums;
    using Table = typename Columns<Rows>::Table;

  public:
    Grower(const Table& table, const Targets& targets, const Limits& limits, const std::int8_t* monotone)
        : table_(table), rows_(targets), limits_(limits), monotone_(monotone), same_(targets.same), columns_(table),
          found_(rows_) {}

    const Rows& rows() const { return rows_; }

    // `times` says how often each row counts; null: once. The leaf of every row goes to `leaf`, if asked for: its number
    // k, or −1 − k of a row that does not count.
    Grown<Sums> grow(const std::int32_t* times, std::uint64_t seed, std::int32_t* leaf, Clock* clock) {
        const std::size_t count = columns_.hold(rows_, times);
        Grown<Sums> tree;
        open_.clear();
        spans_.clear();
        add_node(tree, {0, count});
        weight_ = rows_.weight(tree.sums[0]);
        draw_columns(seed);
        consider(tree, 0, 0, seed, {});
        for (std::size_t leaves = 1; !open_.empty() && leaves < limits_.most_leaves; ++leaves) {
            split(tree, next());
            if (clock) clock->poll();
        }
        if (leaf) write_leaves(tree, times, leaf);
        return tree;
    }

  private:
    struct Open {
        std::size_t node, depth;
        std::uint64_t seed;
        Bounds bounds;
        Split split;
        double left_value, right_value;
    };

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

    // The columns that this tree may use, in their order.
    void draw_columns(std::uint64_t& seed) {
        pool_.resize(table_.d);
        std::iota(pool_.begin(), pool_.end(), 0);
        if (limits_.of_tree >= table_.d) return;
        for (std::size_t j = 0; j < limits_.of_tree; ++j) std::swap(pool_[j], pool_[j + below(seed, table_.d - j)]);
        pool_.resize(limits_.of_tree);
        std::sort(pool_.begin(), pool_.end());
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
        const auto [left_bounds, right_bounds] = halves(open);
        consider(tree, left + 1, open.depth + 1, right_seed, right_bounds);
        consider(tree, left, open.depth + 1, left_seed, left_bounds);
    }

    std::pair<Bounds, Bounds> halves(const Open& open) const {
        Bounds left = open.bounds, right = open.bounds;
        const int way = monotone_ ? monotone_[open.split.column] : 0;
        const double middle = (open.left_value + open.right_value) / 2;
        if (way > 0) left.high = right.low = middle;
        if (way < 0) left.low = right.high = middle;
        return {left, right};
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
        columns_.collect(column, span, found_);
        if (found_.places.size() + found_.has_missing > 1) {
            const bool categorical = table_.categorical[column];
            order_.resize(found_.places.size());
            for (std::size_t o = 0; o < (categorical ? rows_.orders() : 1); ++o) {
                std::iota(order_.begin(), order_.end(), 0);
                if (categorical) sort_categories(o);
                cut(column, categorical, sums, open);
            }
        }
        found_.clear();
    }

    void sort_categories(std::size_t order) {
        rank_.resize(order_.size());
        for (std::size_t p = 0; p < rank_.size(); ++p) rank_[p] = rows_.rank(found_.cells, p, order);
        std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return rank_[a] < rank_[b]; });
    }

    // The best cut of the places in their order, or one at random; missing cells on either side.
    void cut(std::size_t column, bool categorical, const Sums& sums, Open& open) {
        typename Rows::Sides sides(rows_, found_.cells, sums);
        const std::size_t last = order_.size() - 1;  // only missing cells go right of it
        const std::size_t chosen = limits_.random_cuts ? random_cut(column, categorical, open.seed) : order_.size();
        for (const bool missing_left : {false, true}) {
            if (missing_left && !found_.has_missing) break;
            const std::size_t count = last + (found_.has_missing && !missing_left);
            const double* score = sides.scores(order_, count, missing_left, limits_.least_leaf);
            for (std::size_t p = 0; p < count; ++p) {
                if (!(score[p] > open.split.gain + tie_)) continue;
                if (chosen < order_.size() && p != chosen) continue;
                if (categorical && p < last && rank_[order_[p]] == rank_[order_[p + 1]]) continue;  // they stay together
                if (monotone_ && !allowed(column, sides, p, open)) continue;
                open.split.gain = score[p];
                describe(column, categorical, p, missing_left, sides.left_weight(p) > sides.right_weight(p), open.split);
            }
        }
    }

    bool allowed(std::size_t column, const typename Rows::Sides& sides, std::size_t p, Open& open) {
        const double left = sides.left_value(p), right = sides.right_value(p);
        if (!open.bounds.holds(left) || !open.bounds.holds(right) || monotone_[column] * (right - left) < 0) return false;
        open.left_value = left, open.right_value = right;
        return true;
    }

    // The place after which one of the node's values is cut at random: uniformly between the lowest and the highest.
    std::size_t random_cut(std::size_t column, bool categorical, std::uint64_t& seed) const {
        const std::size_t cuts = order_.size() - 1;
        if (cuts == 0) return 0;
        if (categorical) return below(seed, cuts);
        const double low = table_.value(column, found_.places.front()), high = table_.value(column, found_.places.back());
        const double at = low + uniform(seed) * (high - low);
        std::size_t p = 0;
        while (p + 1 < cuts && table_.value(column, found_.places[p + 1]) <= at) ++p;
        return p;
    }

    // What is not in the node goes where more of its weight goes: missing cells where it has none, and other categories.
    void describe(std::size_t column, bool categorical, std::size_t p, bool missing_left, bool more_left,
                  Split& split) const {
        split.column = static_cast<std::int32_t>(column);
        split.categorical = categorical;
        split.missing_left = found_.has_missing ? missing_left : more_left;
        split.last = found_.places[order_[p]];
        split.next = p + 1 < order_.size() ? found_.places[order_[p + 1]] : split.last;
        split.left = {};
        if (!categorical) return;
        if (more_left) {
            split.left = {~0ull, ~0ull, ~0ull, ~0ull};
            for (const Place place : found_.places) split.left[place >> 6] &= ~(std::uint64_t{1} << (place & 63));
        }
        for (std::size_t q = 0; q <= p; ++q) insert(split.left, found_.places[order_[q]]);
    }

    void write_leaves(const Grown<Sums>& tree, const std::int32_t* times, std::int32_t* leaf) const {
        for (Row i = 0; times && i < table_.n; ++i)
            if (times[i] == 0) leaf[i] = -1 - leaf_of(tree, i);
        for (std::size_t k = 0; k < tree.nodes.size(); ++k)
            if (tree.nodes[k].left < 0)
                for (std::size_t i = spans_[k].begin; i < spans_[k].end; ++i)
                    leaf[columns_.row(i)] = static_cast<std::int32_t>(k);
    }

    std::int32_t leaf_of(const Grown<Sums>& tree, Row row) const {
        std::int32_t at = 0;
        for (const Node* node = tree.nodes.data(); node->left >= 0; node = &tree.nodes[static_cast<std::size_t>(at)]) {
            const Place place = table_.place(static_cast<std::size_t>(node->split.column), row);
            at = node->left + !node->split.sends_left(place, Table::kNone);
        }
        return at;
    }

    const Table& table_;
    const Rows rows_;
    const Limits& limits_;
    const std::int8_t* monotone_;
    const std::int64_t* same_;
    Columns<Rows> columns_;
    Collected<Rows> found_;
    std::vector<std::size_t> pool_, drawn_, order_;
    std::vector<double> rank_;
    std::vector<Span> spans_;
    std::vector<Open> open_;
    double tie_ = 0, weight_ = 0;  // of the node; of the root
};

}  // namespace suffice
