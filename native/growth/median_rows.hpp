// Rows whose nodes are scored by the absolute differences of their targets from the median, of the same shape as `PairRows`.
//
// A row has the rank of its target among all, the target as a whole number, and a weight. The sides of a cut that moves
// keep weights and weighted targets by rank in a Fenwick tree, so that a median and the sum of differences from it are
// found in the logarithm of the number of targets, exactly.
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
        std::uint32_t rank;
        std::int64_t target, weight;
    };
    struct Sums {
        std::vector<Own> rows;  // while they are added; none once the node is closed
        std::int64_t weight = 0;
        Median median;
    };

    explicit MedianRows(const Targets& targets) : t_(targets) {
        std::size_t ranks = 0;
        for (std::size_t i = 0; i < t_.n; ++i) ranks = std::max(ranks, static_cast<std::size_t>(t_.sums[3 * i]) + 1);
        level_.resize(ranks);
        for (std::size_t i = 0; i < t_.n; ++i) level_[static_cast<std::size_t>(t_.sums[3 * i])] = t_.sums[3 * i + 1];
    }

    Own own(Row row, std::int64_t times) const {
        const std::int64_t* s = t_.sums + 3 * static_cast<std::size_t>(row);
        return {static_cast<std::uint32_t>(s[0]), s[1], times * s[2]};
    }
    Sums zero() const { return {}; }
    static void add(Sums& sums, const Own& own) { sums.rows.push_back(own), sums.weight += own.weight; }
    void close(Sums& sums) const {
        sums.median = median_of(sums.rows, sums.weight);
        std::vector<Own>().swap(sums.rows);
    }
    void write(const Sums& s, std::int64_t* out) const {
        out[0] = static_cast<std::int64_t>(s.median.low), out[1] = static_cast<std::int64_t>(s.median.high);
        out[2] = s.weight;
    }
    double weight(const Sums& s) const { return weight(s.weight); }
    double score(const Sums& s) const { return score(s.median.difference); }
    double value(const Sums& s) const { return value(s.median); }

    struct Cut {
        double left_weight, right_weight, left_value, right_value;
    };

    class Cells {
      public:
        explicit Cells(const MedianRows& rows) : of_code_(kCodes) {
            all.resize(rows.level_.size());
            left.resize(rows.level_.size());
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

        std::vector<Own> rows, missing;  // one place after the other
        std::vector<std::size_t> first;  // of each place
        RankSums all, left;              // empty between cuts
        std::vector<Cut> cut;
        std::vector<double> score;

      private:
        std::vector<std::vector<Own>> of_code_;
    };

    // Categories are ordered by their median target.
    static constexpr std::size_t orders() { return 1; }
    double rank(const Cells& cells, std::size_t place, std::size_t) const {
        std::vector<Own> own(cells.rows.begin() + static_cast<std::ptrdiff_t>(cells.first[place]),
                             cells.rows.begin() + static_cast<std::ptrdiff_t>(cells.end(place)));
        std::int64_t weight = 0;
        for (const Own& row : own) weight += row.weight;
        return value(median_of(own, weight));
    }

    class Sides {
      public:
        Sides(const MedianRows& rows, Cells& cells, const Sums&) : rows_(rows), c_(cells) {
            for (const auto* part : {&c_.rows, &c_.missing})
                for (const Own& row : *part) c_.all.add(row.rank, sum_of(row));
        }
        Sides(const Sides&) = delete;
        Sides& operator=(const Sides&) = delete;
        ~Sides() {
            for (const auto* part : {&c_.rows, &c_.missing})
                for (const Own& row : *part) c_.all.forget(row.rank), c_.left.forget(row.rank);
        }
        // As of `PairRows::Sides`.
        const double* scores(const std::vector<std::size_t>& order, std::size_t count, bool missing_left, double least) {
            c_.cut.resize(count), c_.score.resize(count);
            for (const auto* part : {&c_.rows, &c_.missing})
                for (const Own& row : *part) c_.left.forget(row.rank);
            if (missing_left)
                for (const Own& row : c_.missing) c_.left.add(row.rank, sum_of(row));
            for (std::size_t p = 0; p < count; ++p) {
                move(order[p]);
                Cut& cut = c_.cut[p];
                cut.left_weight = rows_.weight(c_.left.total().weight);
                cut.right_weight = rows_.weight(c_.all.total().weight - c_.left.total().weight);
                c_.score[p] = -std::numeric_limits<double>::infinity();
                if (cut.left_weight < least || cut.right_weight < least) continue;
                const Median below = left(), above = right();
                cut.left_value = rows_.value(below), cut.right_value = rows_.value(above);
                c_.score[p] = rows_.score(below.difference + above.difference);
            }
            return c_.score.data();
        }
        double left_weight(std::size_t p) const { return c_.cut[p].left_weight; }
        double right_weight(std::size_t p) const { return c_.cut[p].right_weight; }
        double left_value(std::size_t p) const { return c_.cut[p].left_value; }
        double right_value(std::size_t p) const { return c_.cut[p].right_value; }

      private:
        void move(std::size_t place) {
            for (std::size_t i = c_.first[place]; i < c_.end(place); ++i) c_.left.add(c_.rows[i].rank, sum_of(c_.rows[i]));
        }
        static RankSums::Sum sum_of(const Own& row) {
            return {row.weight, static_cast<Wide>(row.target) * row.weight};
        }
        Median left() const {
            return rows_.median(c_.left.total(), c_.left.top(), c_.left.size(), [&](std::size_t i) { return c_.left.at(i); });
        }
        Median right() const {
            return rows_.median(c_.all.total() - c_.left.total(), c_.all.top(), c_.all.size(),
                                [&](std::size_t i) { return c_.all.at(i) - c_.left.at(i); });
        }

        const MedianRows& rows_;
        Cells& c_;
    };

  private:
    double weight(std::int64_t whole) const { return static_cast<double>(whole) * t_.weight_unit; }
    double score(Wide difference) const { return -static_cast<double>(difference) * t_.first_unit; }
    double value(const Median& m) const {
        return (static_cast<double>(level_[m.low]) + static_cast<double>(level_[m.high])) / 2;
    }

    // Sums below a rank are read off a Fenwick tree on the way down to it.
    template <class At>
    Median median(const RankSums::Sum& total, std::size_t top, std::size_t size, At at) const {
        Median found;
        RankSums::Sum below;
        found.low = descend(top, size, at, below, [&](std::int64_t weight) { return 2 * static_cast<Wide>(weight) < total.weight; });
        found.difference = difference(found.low, below, total);
        RankSums::Sum up_to;
        found.high = descend(top, size, at, up_to, [&](std::int64_t weight) { return 2 * static_cast<Wide>(weight) <= total.weight; });
        found.high = std::min(found.high, level_.size() - 1);
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
    Wide difference(std::size_t rank, const RankSums::Sum& below, const RankSums::Sum& total) const {
        const RankSums::Sum above = total - below;  // and at the rank itself
        const Wide level = level_[rank];
        return level * below.weight - below.target + above.target - level * above.weight;
    }
    Median median_of(std::vector<Own>& rows, std::int64_t weight) const {
        std::sort(rows.begin(), rows.end(), [](const Own& a, const Own& b) { return a.rank < b.rank; });
        Median found;
        RankSums::Sum total, below;
        for (const Own& row : rows) total += {row.weight, static_cast<Wide>(row.target) * row.weight};
        Wide so_far = 0;
        std::size_t i = 0;
        for (; i + 1 < rows.size() && 2 * (so_far + rows[i].weight) < weight; ++i) so_far += rows[i].weight;
        if (rows.empty()) return found;
        found.low = found.high = rows[i].rank;
        for (const Own& row : rows)
            if (row.rank < found.low) below += {row.weight, static_cast<Wide>(row.target) * row.weight};
        for (std::size_t j = i; j + 1 < rows.size() && 2 * (so_far + rows[j].weight) <= weight; ++j)
            so_far += rows[j].weight, found.high = rows[j + 1].rank;
        found.difference = difference(found.low, below, total);
        return found;
    }

    Targets t_;
    std::vector<std::int64_t> level_;  // the target of each rank
};

}  // namespace suffice
