// Rows that add up to pairs of sums: weighted targets and weights, or of two classes the weight of the second and of both.
//
// `PairRows` and `ListRows` have the same shape. They know what a row adds; `Cells` are the sums of the places of a column
// within a node, in the order in which they are cut; `Sides` are those left and right of a cut that moves through them.
#pragma once

#include <limits>

#include "growth/scores.hpp"

namespace suffice {

// What the growth of a tree knows of the targets: whole numbers, and what one of them stands for.
struct Targets {
    const std::int64_t* sums;  // (n, 2): target and weight, or class and weight; (n, k): targets and weight
    std::size_t k;             // sums of a node
    const std::int64_t* same;  // (n): equal where targets are
    Criterion criterion;
    double first_unit, weight_unit, l2;
    std::size_t n;
};

class PairRows {
  public:
    using Own = PairSums;
    using Sums = PairSums;

    explicit PairRows(const Targets& targets) : t_(targets) {}

    Own own(Row row, std::int64_t times) const {
        return {times * t_.sums[2 * row], times * t_.sums[2 * row + 1]};
    }
    Sums zero() const { return {}; }
    static void add(Sums& sums, const Own& own) { sums += own; }
    void close(Sums&) const {}  // once all rows of a node were added
    void write(const Sums& s, std::int64_t* out) const { out[0] = s.first, out[1] = s.second; }
    double weight(const Sums& s) const { return static_cast<double>(s.second) * t_.weight_unit; }
    double score(const Sums& s) const {
        return pair_score(t_.criterion, static_cast<double>(s.first) * t_.first_unit, weight(s), t_.l2);
    }
    // What a leaf says, as far as constraints ask for it.
    double value(const Sums& s) const { return static_cast<double>(s.first) * t_.first_unit / (weight(s) + t_.l2); }
    // The scores of both sides of cuts with these sums left of them; −∞ where a side weighs less than `least`.
    void score_cuts(const std::int64_t* first, const std::int64_t* second, std::size_t count, const Sums& all, double least,
                    double* out) const {
        switch (t_.criterion) {
            case Criterion::squared: return fill<Criterion::squared>(first, second, count, all, least, out);
            case Criterion::deviance: return fill<Criterion::deviance>(first, second, count, all, least, out);
            case Criterion::gini: return fill<Criterion::gini>(first, second, count, all, least, out);
            case Criterion::entropy: return fill<Criterion::entropy>(first, second, count, all, least, out);
            case Criterion::error: return fill<Criterion::error>(first, second, count, all, least, out);
            case Criterion::absolute: break;
        }
    }

    class Cells {
      public:
        explicit Cells(const PairRows&) : of_code_(kCodes) {}

        void add(Code code, const Own& own) { of_code_[code] += own; }
        bool empty(std::size_t code) const { return of_code_[code].empty(); }
        void take(std::size_t code) {
            (code == kMissing ? missing : found.emplace_back()) = of_code_[code];
            of_code_[code] = {};
        }
        void open() { found.emplace_back(); }
        void add_to_last(const Own& own) { found.back() += own; }
        void add_missing(const Own& own) { missing += own; }
        void clear() { found.clear(), missing = {}; }

        std::vector<Sums> found;
        Sums missing;
        std::vector<std::int64_t> first, second;  // left of each cut
        std::vector<double> score;

      private:
        std::vector<Sums> of_code_;
    };

    // Categories are ordered by their mean target.
    static constexpr std::size_t orders() { return 1; }
    double rank(const Cells& cells, std::size_t place, std::size_t) const { return value(cells.found[place]); }

    // The scores of both sides of every cut of the places in an order, missing cells left or right; −∞ where a side
    // weighs less than `least`.
    class Sides {
      public:
        Sides(const PairRows& rows, Cells& cells, const Sums& all) : rows_(rows), c_(cells), all_(all) {}

        const double* scores(const std::vector<std::size_t>& order, std::size_t count, bool missing_left, double least) {
            c_.first.resize(count), c_.second.resize(count), c_.score.resize(count);
            Sums left = missing_left ? c_.missing : Sums{};
            for (std::size_t p = 0; p < count; ++p) {
                left += c_.found[order[p]];
                c_.first[p] = left.first, c_.second[p] = left.second;
            }
            rows_.score_cuts(c_.first.data(), c_.second.data(), count, all_, least, c_.score.data());
            return c_.score.data();
        }
        Sums left(std::size_t p) const { return {c_.first[p], c_.second[p]}; }
        double left_weight(std::size_t p) const { return rows_.weight(left(p)); }
        double right_weight(std::size_t p) const { return rows_.weight(all_ - left(p)); }
        double left_value(std::size_t p) const { return rows_.value(left(p)); }
        double right_value(std::size_t p) const { return rows_.value(all_ - left(p)); }

      private:
        const PairRows& rows_;
        Cells& c_;
        const Sums all_;
    };

  private:
    template <Criterion kind>
    void fill(const std::int64_t* first, const std::int64_t* second, std::size_t count, const Sums all, double least,
              double* out) const {
        const double unit = t_.first_unit, weight = t_.weight_unit, l2 = t_.l2;
        for (std::size_t p = 0; p < count; ++p) {
            const double w = static_cast<double>(second[p]) * weight;
            const double rest = static_cast<double>(all.second - second[p]) * weight;
            const double score = pair_score(kind, static_cast<double>(first[p]) * unit, w, l2) +
                                 pair_score(kind, static_cast<double>(all.first - first[p]) * unit, rest, l2);
            out[p] = w >= least && rest >= least ? score : -std::numeric_limits<double>::infinity();
        }
    }

    Targets t_;
};

}  // namespace suffice
