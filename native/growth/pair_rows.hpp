// Rows that add up to pairs of sums: weighted targets and weights, or of two classes the weight of the second and of both.
//
// `PairRows` and `ListRows` have the same shape. They know what a row adds; `Cells` are the sums of the places of a column
// within a node, in the order in which they are cut; `Sides` are those left and right of a cut that moves through them.
#pragma once

#include "growth/scores.hpp"

namespace suffice {

// What the growth of a tree knows of the targets: whole numbers, and what one of them stands for.
struct Targets {
    const std::int64_t* sums;  // (n, 2): target and weight, or class and weight; (n, k): targets and weight
    std::size_t k;             // sums of a node
    const std::int64_t* same;  // (n): equal where targets are
    Criterion criterion;
    double first_unit, weight_unit, l2;
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
    void write(const Sums& s, std::int64_t* out) const { out[0] = s.first, out[1] = s.second; }
    double weight(const Sums& s) const { return static_cast<double>(s.second) * t_.weight_unit; }
    double score(const Sums& s) const {
        return pair_score(t_.criterion, static_cast<double>(s.first) * t_.first_unit, weight(s), t_.l2);
    }
    // What a leaf says, as far as constraints ask for it.
    double value(const Sums& s) const { return static_cast<double>(s.first) * t_.first_unit / (weight(s) + t_.l2); }
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

      private:
        std::vector<Sums> of_code_;
    };

    // Categories are ordered by their mean target.
    static constexpr std::size_t orders() { return 1; }
    double rank(const Cells& cells, std::size_t place, std::size_t) const { return value(cells.found[place]); }

    class Sides {
      public:
        Sides(const PairRows& rows, Cells& cells, const Sums& all) : rows_(rows), cells_(cells), all_(all) {}
        void start(bool missing_left, const std::vector<std::size_t>&) { left_ = missing_left ? cells_.missing : Sums{}; }
        static constexpr bool beats(double) { return true; }
        void move(std::size_t place) { left_ += cells_.found[place]; }
        double left_weight() const { return rows_.weight(left_); }
        double right_weight() const { return rows_.weight(all_ - left_); }
        double left_value() const { return rows_.value(left_); }
        double right_value() const { return rows_.value(all_ - left_); }
        double score() const { return rows_.score(left_) + rows_.score(all_ - left_); }

      private:
        const PairRows& rows_;
        const Cells& cells_;
        const Sums all_;
        Sums left_;
    };

  private:
    Targets t_;
};

}  // namespace suffice
