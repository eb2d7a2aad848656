// Rows whose nodes are scored by the absolute differences of their targets from the median, of the same shape as `PairRows`.
//
// A row has the rank of each of its targets among all, the target as a whole number, and a weight. The sides of a cut that
// moves keep weights and weighted targets by rank in a Fenwick tree for each target, so that a median and the sum of
// differences from it are found in the logarithm of the number of targets, exactly.
#pragma once

#include <algorithm>
#include <bit>

#include "growth/pair_rows.hpp"

namespace suffice {

__extension__ using Wide = __int128;

// Weights and weighted targets by rank.
class RankSums {
  public:
    struct Sum {
        std::int64_t weight = 0;
        Wide target = 0;
        Sum operator-(const Sum& o) const { return {weight - o.weight, target - o.target}; }
        void operator+=(const Sum& o) { weight += o.weight, target += o.target; }
    };

    void resize(std::size_t ranks) { tree_.resize(ranks + 1), top_ = std::bit_floor(std::max<std::size_t>(1, ranks)); }
    std::size_t top() const { return top_; }
    std::size_t size() const { return tree_.size(); }
    const Sum& at(std::size_t i) const { return tree_[i]; }
    void add(std::size_t rank, const Sum& own) {
        for (std::size_t i = rank + 1; i < tree_.size(); i += i & -i) tree_[i] += own;
        total_ += own;
    }
    void forget(std::size_t rank) {
        for (std::size_t i = rank + 1; i < tree_.size(); i += i & -i) tree_[i] = {};
        total_ = {};
    }
    const Sum& total() const { return total_; }

  private:
    std::vector<Sum> tree_;
    Sum total_;
    std::size_t top_ = 1;
};

// Where half of the weight is reached: the rank there, that of the next target if it is reached exactly, and the sum of
// absolute differences from any number between both.
struct Median {
    std::size_t low = 0, high = 0;
    Wide difference = 0;
};

class MedianRows {
  public:
    struct Own {
        const std::int64_t* targets;  // (q, 2): rank and target
        std::int64_t weight;

        std::size_t rank(std::size_t c) const { return static_cast<std::size_t>(targets[2 * c]); }
        RankSums::Sum sum(std::size_t c) const { return {weight, static_cast<Wide>(targets[2 * c + 1]) * weight}; }
    };
    struct Sums {
        std::vector<Own> rows;  // while they are added; none once the node is closed
        std::int64_t weight = 0;
        std::vector<Median> medians;  // (q)
    };

    explicit MedianRows(const Targets& targets) : t_(targets), levels_((targets.k - 1) / 2) {
        for (std::size_t c = 0; c < q(); ++c) {
            std::size_t ranks = 0;
            for (std::size_t i = 0; i < t_.n; ++i) ranks = std::max(ranks, of(i).rank(c) + 1);
            levels_[c].resize(ranks);
            for (std::size_t i = 0; i < t_.n; ++i) levels_[c][of(i).rank(c)] = of(i).targets[2 * c + 1];
        }
    }

    Own own(Row row, std::int64_t times) const {
        const Own found = of(row);
        return {found.targets, times * found.weight};
    }
    Sums zero() const { return {}; }
    static void add(Sums& sums, const Own& own) { sums.rows.push_back(own), sums.weight += own.weight; }
    void close(Sums& sums) const {
        for (std::size_t c = 0; c < q(); ++c) sums.medians.push_back(median_of(sums.rows, sums.weight, c));
        std::vector<Own>().swap(sums.rows);
    }
    void write(const Sums& s, std::int64_t* out) const {
        for (const Median& own : s.medians) {
            *out++ = static_cast<std::int64_t>(own.low);
            *out++ = static_cast<std::int64_t>(own.high);
        }
        *out = s.weight;
    }
    double weight(const Sums& s) const { return weight(s.weight); }
    double score(const Sums& s) const {
        Wide difference = 0;
        for (const Median& own : s.medians) difference += own.difference;
        return score(difference);
    }
    double value(const Sums& s) const { return value(s.medians[0], 0); }

    struct Cut {
        double left_weight, right_weight, left_value, right_value;
    };

    class Cells {
      public:
        explicit Cells(const MedianRows& rows) : all(rows.q()), left(rows.q()), of_code_(kCodes) {
            for (std::size_t c = 0; c < rows.q(); ++c) {
                all[c].resize(rows.levels_[c].size());
                left[c].resize(rows.levels_[c].size());
            }
        }

        void add(Code code, const Own& own) { of_code_[code].push_back(own); }
        bool empty(std::size_t code) const { return of_code_[code].empty(); }
        void take(std::size_t code) {
            auto& own = of_code_[code];
            if (code != kMissing) open();
            auto& to = code == kMissing ? missing : rows;
            to.insert(to.end(), own.begin(), own.end());
            own.clear();
        }
        void open() { first.push_back(rows.size()); }
        void add_to_last(const Own& own) { rows.push_back(own); }
        void add_missing(const Own& own) { missing.push_back(own); }
        void clear() { rows.clear(), first.clear(), missing.clear(); }
        std::size_t end(std::size_t place) const { return place + 1 < first.size() ? first[place + 1] : rows.size(); }

        std::vector<Own> rows, missing;   // one place after the other
        std::vector<std::size_t> first;   // of each place
        std::vector<RankSums> all, left;  // of each target; empty between cuts
        std::vector<Cut> cut;
        std::vector<double> score;

      private:
        std::vector<std::vector<Own>> of_code_;
    };

    // Categories are ordered by the median of each target in turn.
    std::size_t orders() const { return q(); }
    double rank(const Cells& cells, std::size_t place, std::size_t c) const {
        std::vector<Own> own(cells.rows.begin() + static_cast<std::ptrdiff_t>(cells.first[place]),
                             cells.rows.begin() + static_cast<std::ptrdiff_t>(cells.end(place)));
        std::int64_t weight = 0;
        for (const Own& row : own) weight += row.weight;
        return value(median_of(own, weight, c), c);
    }

    class Sides {
      public:
        Sides(const MedianRows& rows, Cells& cells, const Sums&) : rows_(rows), c_(cells) {
            each([&](const Own& row, std::size_t c) { c_.all[c].add(row.rank(c), row.sum(c)); });
        }
        Sides(const Sides&) = delete;
        Sides& operator=(const Sides&) = delete;
        ~Sides() {
            each([&](const Own& row, std::size_t c) { c_.all[c].forget(row.rank(c)), c_.left[c].forget(row.rank(c)); });
        }
        // As of `PairRows::Sides`.
        const double* scores(const std::vector<std::size_t>& order, std::size_t count, bool missing_left, double least) {
            c_.cut.resize(count), c_.score.resize(count);
            each([&](const Own& row, std::size_t c) { c_.left[c].forget(row.rank(c)); });
            if (missing_left) move(c_.missing.data(), c_.missing.data() + c_.missing.size());
            for (std::size_t p = 0; p < count; ++p) {
                move(c_.rows.data() + c_.first[order[p]], c_.rows.data() + c_.end(order[p]));
                Cut& cut = c_.cut[p];
                cut.left_weight = rows_.weight(c_.left[0].total().weight);
                cut.right_weight = rows_.weight(c_.all[0].total().weight - c_.left[0].total().weight);
                c_.score[p] = -std::numeric_limits<double>::infinity();
                if (cut.left_weight < least || cut.right_weight < least) continue;
                Wide difference = 0;
                for (std::size_t c = 0; c < rows_.q(); ++c) {
                    const Median below = left(c), above = right(c);
                    difference += below.difference + above.difference;
                    if (c == 0) cut.left_value = rows_.value(below, c), cut.right_value = rows_.value(above, c);
                }
                c_.score[p] = rows_.score(difference);
            }
            return c_.score.data();
        }
        double left_weight(std::size_t p) const { return c_.cut[p].left_weight; }
        double right_weight(std::size_t p) const { return c_.cut[p].right_weight; }
        double left_value(std::size_t p) const { return c_.cut[p].left_value; }
        double right_value(std::size_t p) const { return c_.cut[p].right_value; }

      private:
        template <class F>
        void each(F f) {
            for (const auto* part : {&c_.rows, &c_.missing})
                for (const Own& row : *part)
                    for (std::size_t c = 0; c < rows_.q(); ++c) f(row, c);
        }
        void move(const Own* row, const Own* end) {
            for (; row != end; ++row)
                for (std::size_t c = 0; c < rows_.q(); ++c) c_.left[c].add(row->rank(c), row->sum(c));
        }
        Median left(std::size_t c) const {
            const RankSums& own = c_.left[c];
            return rows_.median(own.total(), own.top(), own.size(), [&](std::size_t i) { return own.at(i); }, c);
        }
        Median right(std::size_t c) const {
            const RankSums &all = c_.all[c], &own = c_.left[c];
            return rows_.median(all.total() - own.total(), all.top(), all.size(),
                                [&](std::size_t i) { return all.at(i) - own.at(i); }, c);
        }

        const MedianRows& rows_;
        Cells& c_;
    };

  private:
    std::size_t q() const { return levels_.size(); }
    Own of(std::size_t row) const {
        const std::int64_t* s = t_.sums + t_.k * row;
        return {s, s[t_.k - 1]};
    }
    double weight(std::int64_t whole) const { return static_cast<double>(whole) * t_.weight_unit; }
    double score(Wide difference) const { return -static_cast<double>(difference) * t_.first_unit; }
    double value(const Median& m, std::size_t c) const {
        return (static_cast<double>(levels_[c][m.low]) + static_cast<double>(levels_[c][m.high])) / 2;
    }

    // Sums below a rank are read off a Fenwick tree on the way down to it.
    template <class At>
    Median median(const RankSums::Sum& total, std::size_t top, std::size_t size, At at, std::size_t c) const {
        Median found;
        RankSums::Sum below;
        found.low = descend(top, size, at, below, [&](std::int64_t weight) { return 2 * static_cast<Wide>(weight) < total.weight; });
        found.difference = difference(levels_[c][found.low], below, total);
        RankSums::Sum up_to;
        found.high = descend(top, size, at, up_to, [&](std::int64_t weight) { return 2 * static_cast<Wide>(weight) <= total.weight; });
        found.high = std::min(found.high, levels_[c].size() - 1);
        return found;
    }
    template <class At, class Before>
    static std::size_t descend(std::size_t top, std::size_t size, At at, RankSums::Sum& below, Before before) {
        std::size_t place = 0;
        for (std::size_t step = top; step; step >>= 1)
            if (place + step < size) {
                const RankSums::Sum own = at(place + step);
                if (before(below.weight + own.weight)) place += step, below += own;
            }
        return place;
    }
    static Wide difference(Wide level, const RankSums::Sum& below, const RankSums::Sum& total) {
        const RankSums::Sum above = total - below;  // and at the level itself
        return level * below.weight - below.target + above.target - level * above.weight;
    }
    Median median_of(std::vector<Own>& rows, std::int64_t weight, std::size_t c) const {
        std::sort(rows.begin(), rows.end(), [c](const Own& a, const Own& b) { return a.rank(c) < b.rank(c); });
        Median found;
        if (rows.empty()) return found;
        RankSums::Sum total, below;
        for (const Own& row : rows) total += row.sum(c);
        Wide so_far = 0;
        std::size_t i = 0;
        for (; i + 1 < rows.size() && 2 * (so_far + rows[i].weight) < weight; ++i) so_far += rows[i].weight;
        found.low = found.high = rows[i].rank(c);
        for (const Own& row : rows)
            if (row.rank(c) < found.low) below += row.sum(c);
        for (std::size_t j = i; j + 1 < rows.size() && 2 * (so_far + rows[j].weight) <= weight; ++j)
            so_far += rows[j].weight, found.high = rows[j + 1].rank(c);
        found.difference = difference(levels_[c][found.low], below, total);
        return found;
    }

    Targets t_;
    std::vector<std::vector<std::int64_t>> levels_;  // of each target: the number of each rank
};

}  // namespace suffice
