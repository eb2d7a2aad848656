// The best cut of one column of a node, by the rules that all growers share.
#pragma once

#include "growth/columns.hpp"
#include "growth/pair_rows.hpp"

namespace suffice {

constexpr double kTie = 1e-12;  // scores closer than this part of the node's are equal

// What leaves may say, where constraints hold it.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool holds(double value) const { return value >= low && value <= high; }
    double clipped(double value) const { return std::min(std::max(value, low), high); }
};

// A node that can be split, and how.
struct Open {
    std::size_t node, depth;
    std::uint64_t seed;
    Bounds bounds;
    Split split;
    double left_value, right_value;

    // What the children may say where predictions rise (1) or fall (−1) with the column.
    std::pair<Bounds, Bounds> halves(int way) const {
        Bounds left = bounds, right = bounds;
        const double middle = (left_value + right_value) / 2;
        if (way > 0) left.high = right.low = middle;
        if (way < 0) left.low = right.high = middle;
        return {left, right};
    }
};

// The leaf to which a row falls.
template <class Table>
std::int32_t leaf_of(const std::vector<Node>& nodes, const Table& table, Row row) {
    std::int32_t at = 0;
    for (const Node* node = nodes.data(); node->left >= 0; node = &nodes[static_cast<std::size_t>(at)]) {
        const Place place = table.place(static_cast<std::size_t>(node->split.column), row);
        at = node->left + !node->split.sends_left(place, Table::kNone);
    }
    return at;
}

template <class Rows>
class Cutting {
    using Sums = typename Rows::Sums;

  public:
    Cutting(const Rows& rows, const Limits& limits, const std::int8_t* monotone)
        : rows_(rows), limits_(limits), monotone_(monotone) {
        order_.reserve(kCodes), rank_.reserve(kCodes);
    }

    // Takes the best cut of what was found of a column, if it is better than the node's so far.
    template <class Table>
    void look(const Table& table, std::size_t column, Collected<Rows>& found, const Sums& sums, double tie, Open& open) {
        if (found.places.size() + found.has_missing < 2) return;
        const bool categorical = table.categorical[column];
        order_.resize(found.places.size());
        for (std::size_t o = 0; o < (categorical ? rows_.orders() : 1); ++o) {
            std::iota(order_.begin(), order_.end(), 0);
            if (categorical) sort_categories(found, o);
            cut(table, column, categorical, found, sums, tie, open);
        }
    }

  private:
    void sort_categories(const Collected<Rows>& found, std::size_t order) {
        rank_.resize(order_.size());
        for (std::size_t p = 0; p < rank_.size(); ++p) rank_[p] = rows_.rank(found.cells, p, order);
        std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return rank_[a] < rank_[b]; });
    }

    // The best cut of the places in their order, or one at random; missing cells on either side.
    template <class Table>
    void cut(const Table& table, std::size_t column, bool categorical, Collected<Rows>& found, const Sums& sums,
             double tie, Open& open) {
        typename Rows::Sides sides(rows_, found.cells, sums);
        const std::size_t last = order_.size() - 1;  // only missing cells go right of it
        std::size_t chosen = order_.size();
        if (limits_.random_cuts) chosen = random_cut(table, column, categorical, found, open.seed);
        for (const bool missing_left : {false, true}) {
            if (missing_left && !found.has_missing) break;
            const std::size_t count = last + (found.has_missing && !missing_left);
            const double* score = sides.scores(order_, count, missing_left, limits_.least_leaf);
            for (std::size_t p = 0; p < count; ++p) {
                if (!(score[p] > open.split.gain + tie)) continue;
                if (chosen < order_.size() && p != chosen) continue;
                if (categorical && p < last && rank_[order_[p]] == rank_[order_[p + 1]]) continue;  // they stay together
                double own = score[p];
                if (monotone_ && !allowed(column, sides, p, tie, own, open)) continue;
                open.split.gain = own;
                const bool more_left = sides.left_weight(p) > sides.right_weight(p);
                describe(found, column, categorical, p, missing_left, more_left, open.split);
            }
        }
    }

    // Whether a cut keeps to the bounds; where leaves say what is nearest within them, the score is that of what they say.
    bool allowed(std::size_t column, const typename Rows::Sides& sides, std::size_t p, double tie, double& score, Open& open) {
        double left = sides.left_value(p), right = sides.right_value(p);
        if constexpr (requires { sides.score_within(p, open.bounds); }) {
            left = open.bounds.clipped(left), right = open.bounds.clipped(right);
            score = sides.score_within(p, open.bounds);
            if (!(score > open.split.gain + tie)) return false;
        } else if (!open.bounds.holds(left) || !open.bounds.holds(right)) {
            return false;
        }
        if (monotone_[column] * (right - left) < 0) return false;
        open.left_value = left, open.right_value = right;
        return true;
    }

    // The place after which one of the node's values is cut at random: uniformly between the lowest and the highest.
    template <class Table>
    std::size_t random_cut(const Table& table, std::size_t column, bool categorical, const Collected<Rows>& found,
                           std::uint64_t& seed) const {
        const std::size_t cuts = order_.size() - 1;
        if (cuts == 0) return 0;
        if (categorical) return below(seed, cuts);
        const double low = table.value(column, found.places.front()), high = table.value(column, found.places.back());
        const double at = low + uniform(seed) * (high - low);
        std::size_t p = 0;
        while (p + 1 < cuts && table.value(column, found.places[p + 1]) <= at) ++p;
        return p;
    }

    // What is not in the node goes where more of its weight goes: missing cells where it has none, and other categories.
    void describe(const Collected<Rows>& found, std::size_t column, bool categorical, std::size_t p, bool missing_left,
                  bool more_left, Split& split) const {
        split.column = static_cast<std::int32_t>(column);
        split.categorical = categorical;
        split.missing_left = found.has_missing ? missing_left : more_left;
        split.last = found.places[order_[p]];
        split.next = p + 1 < order_.size() ? found.places[order_[p + 1]] : split.last;
        split.left = {};
        if (!categorical) return;
        if (more_left) {
            split.left = {~0ull, ~0ull, ~0ull, ~0ull};
            for (const Place place : found.places) split.left[place >> 6] &= ~(std::uint64_t{1} << (place & 63));
        }
        for (std::size_t q = 0; q <= p; ++q) insert(split.left, found.places[order_[q]]);
    }

    const Rows rows_;
    const Limits& limits_;
    const std::int8_t* monotone_;
    std::vector<std::size_t> order_;
    std::vector<double> rank_;
};

}  // namespace suffice
