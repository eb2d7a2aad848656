// Trees of codes and whole sums as models hold them: thresholds, sets of categories, weights and values.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

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

// A tree that is written as it grows.
class DecodedTree {
  public:
    Growing<std::int32_t> column, left;
    Growing<double> threshold, gain, weight, value;  // (nodes), the last (nodes · q)
    Growing<std::uint8_t> missing_left;
    std::vector<std::uint64_t> sets;

    void decode(const Targets& targets, bool several, const Decoding& decoding) {
        targets_ = &targets, several_ = several, decoding_ = &decoding;
        sums_.resize(targets.k);
    }
    void begin(std::size_t) {
        column.clear(), left.clear(), threshold.clear(), gain.clear(), weight.clear(), value.clear(), missing_left.clear();
        sets.clear(), by_category_.clear();
    }
    std::size_t size() const { return column.size(); }

    template <class Rows, class Sums>
    void add(const Rows& rows, const Sums& own) {
        std::int64_t* sums = sums_.data();
        rows.write(own, sums);
        const std::size_t k = targets_->k;
        const std::int64_t whole = several_ ? std::accumulate(sums, sums + k, std::int64_t{0}) : sums[k - 1];
        const auto atleast_one = static_cast<double>(std::max<std::int64_t>(1, whole));
        column.push_back(-1), left.push_back(-1), threshold.push_back(0.0), gain.push_back(0.0), missing_left.push_back(0);
        weight.push_back(static_cast<double>(whole) * targets_->weight_unit);
        if (decoding_->centre) means(sums, *targets_, atleast_one, decoding_->centre, value.extend(k - 1));
        else shares(sums, k, several_, atleast_one, value.extend(k));
    }
    void split(std::size_t node, std::size_t first, const Split& how) {
        column[node] = how.column, left[node] = static_cast<std::int32_t>(first);
        missing_left[node] = how.missing_left, gain[node] = how.gain;
        if (how.categorical) by_category_.emplace_back(node, how);
        else threshold[node] = decoding_->threshold(how);
    }
    // Writes the sets, in the order of the nodes.
    void finish() {
        std::sort(by_category_.begin(), by_category_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [node, how] : by_category_) {
            threshold[node] = static_cast<double>(sets.size());
            decoding_->spread(how, sets);
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

    const Targets* targets_ = nullptr;
    const Decoding* decoding_ = nullptr;
    bool several_ = false;
    std::vector<std::int64_t> sums_;                         // (k), of a node
    std::vector<std::pair<std::size_t, Split>> by_category_;  // nodes that are split so
};

// One tree after the other.
struct DecodedTrees {
    Growing<std::int64_t> starts;
    Growing<std::int32_t> column, left;
    Growing<double> threshold, gain, weight, value;
    Growing<std::uint8_t> missing_left;
    Growing<std::uint64_t> sets;

    DecodedTrees() { starts.push_back(0); }

    // The sets of the tree begin behind those that are there already. Where the tree is not used again, its memory ends.
    void append(DecodedTree& tree, const Decoding& decoding, bool again) {
        const auto before = static_cast<double>(sets.size());
        for (std::size_t i = 0; !tree.sets.empty() && i < tree.column.size(); ++i)
            if (tree.column[i] >= 0 && decoding.words(tree.column[i]) > 0) tree.threshold[i] += before;
        const auto move = [again](auto& to, auto& from) {
            to.append(from);
            if (!again) from.end();
        };
        move(column, tree.column), move(left, tree.left), move(threshold, tree.threshold), move(gain, tree.gain);
        move(weight, tree.weight), move(value, tree.value), move(missing_left, tree.missing_left);
        sets.append(tree.sets);
        starts.push_back(static_cast<std::int64_t>(column.size()));
    }
};

inline nb::tuple to_python(DecodedTrees&& t) {
    return nb::make_tuple(owned(std::move(t.starts)), owned(std::move(t.column)), owned(std::move(t.left)),
                          owned(std::move(t.threshold)), owned(std::move(t.missing_left)), owned(std::move(t.gain)),
                          owned(std::move(t.weight)), owned(std::move(t.value)), owned(std::move(t.sets)));
}

}  // namespace suffice
