// Rows that add to three sums, of the same shape as `PairRows`: gradients, curvatures and weights of a loss.
#pragma once

#include "core/vector_math.hpp"
#include "growth/pair_rows.hpp"

namespace suffice {

constexpr double kLeastCurvature = 1e-3;  // of either side of a split

struct TripleSums {
    std::int64_t first = 0, second = 0, third = 0;

    TripleSums operator+(TripleSums o) const { return {first + o.first, second + o.second, third + o.third}; }
    TripleSums operator-(TripleSums o) const { return {first - o.first, second - o.second, third - o.third}; }
    void operator+=(TripleSums o) { *this = *this + o; }
};

// What one of the sums stands for, and the ridge.
struct TripleUnits {
    double first, second, third, l2;
};

// The score of a gradient and a curvature: G² / (H + λ), twice by how much the best step lowers the loss.
inline double newton_score(double first, double second, double l2) {
    return second + l2 > 0 ? first * first / (second + l2) : 0.0;
}

class TripleRows {
  public:
    using Own = TripleSums;
    using Sums = TripleSums;

    explicit TripleRows(const TripleUnits& units) : u_(&units) {}  // which outlive it, and change from tree to tree

    void write(const Sums& s, std::int64_t* out) const { out[0] = s.first, out[1] = s.second, out[2] = s.third; }
    double weight(const Sums& s) const { return static_cast<double>(s.third) * u_->third; }
    double score(const Sums& s) const {
        return newton_score(static_cast<double>(s.first) * u_->first, static_cast<double>(s.second) * u_->second, u_->l2);
    }
    double value(const Sums& s) const {
        return static_cast<double>(s.first) * u_->first / (static_cast<double>(s.second) * u_->second + u_->l2);
    }

    // The scores of both sides of cuts with these sums left of them, some vectors of them; −∞ where a side weighs less than
    // `least`, or has hardly a curvature. Divisions run side by side.
    void score_cuts(const std::int64_t* left_first, const std::int64_t* left_second, const std::int64_t* left_third,
                    std::size_t count, const Sums& all, double least, double* out) const {
        const Vec none = broadcast(-std::numeric_limits<double>::infinity());
        const TripleUnits u = *u_;
        const double first = static_cast<double>(all.first) * u.first;
        const double second = static_cast<double>(all.second) * u.second, weight = this->weight(all);
        for (std::size_t p = 0; p < count; p += kLanes) {
            const Vec a = as_numbers(left_first + p) * u.first, b = first - a;
            const Vec h = as_numbers(left_second + p) * u.second, k = second - h;
            const Vec w = as_numbers(left_third + p) * u.third, v = weight - w;
            const Vec score = a * a / (h + u.l2) + b * b / (k + u.l2);
            const Vec curved = (h < k ? h : k) >= kLeastCurvature ? score : none;
            store(out + p, (w < v ? w : v) >= least ? curved : none);
        }
    }

    // The score where a leaf says what is nearest to its best step within bounds: 2 G v - (H + λ) v².
    template <class Bounds>
    double score(const Sums& s, const Bounds& bounds) const {
        const double best = value(s), v = bounds.clipped(best);
        if (!(v < best || v > best)) return score(s);
        const double first = static_cast<double>(s.first) * u_->first, second = static_cast<double>(s.second) * u_->second;
        return 2 * first * v - (second + u_->l2) * v * v;
    }

    struct Cells {
        explicit Cells(const TripleRows&) {}
        void add(std::size_t at, const Sums& sums) { first[at] = sums.first, second[at] = sums.second, third[at] = sums.third; }
        void clear() { missing = {}; }

        // Of the places in the node; what is behind them is nobody's.
        std::array<std::int64_t, kCodes> first, second, third;
        Sums missing;
        // Left of each cut.
        std::array<std::int64_t, kCodes> left_first, left_second, left_third;
        std::array<double, kCodes> scores;
    };

    static constexpr std::size_t orders() { return 1; }
    double rank(const Cells& cells, std::size_t place, std::size_t) const {
        return value({cells.first[place], cells.second[place], cells.third[place]});
    }

    class Sides {
      public:
        Sides(const TripleRows& rows, Cells& cells, const Sums& all) : rows_(rows), c_(cells), all_(all) {}

        const double* scores(const std::vector<std::size_t>& order, std::size_t count, bool missing_left, double least) {
            Sums left = missing_left ? c_.missing : Sums{};
            for (std::size_t p = 0; p < count; ++p) {
                const std::size_t at = order[p];
                c_.left_first[p] = left.first += c_.first[at];
                c_.left_second[p] = left.second += c_.second[at];
                c_.left_third[p] = left.third += c_.third[at];
            }
            for (std::size_t p = count; p % kLanes; ++p) c_.left_first[p] = c_.left_second[p] = c_.left_third[p] = 0;
            rows_.score_cuts(c_.left_first.data(), c_.left_second.data(), c_.left_third.data(), count, all_, least,
                             c_.scores.data());
            return c_.scores.data();
        }
        double left_weight(std::size_t p) const { return rows_.weight(left(p)); }
        double right_weight(std::size_t p) const { return rows_.weight(all_ - left(p)); }
        template <class Bounds>
        double score_within(std::size_t p, const Bounds& bounds) const {
            return rows_.score(left(p), bounds) + rows_.score(all_ - left(p), bounds);
        }
        double left_value(std::size_t p) const { return rows_.value(left(p)); }
        double right_value(std::size_t p) const { return rows_.value(all_ - left(p)); }

      private:
        Sums left(std::size_t p) const { return {c_.left_first[p], c_.left_second[p], c_.left_third[p]}; }

        const TripleRows& rows_;
        Cells& c_;
        const Sums all_;
    };

  private:
    static Vec as_numbers(const std::int64_t* p) {
        Bits whole;
        std::memcpy(&whole, p, sizeof whole);
        return __builtin_convertvector(whole, Vec);
    }

    const TripleUnits* u_;
};

}  // namespace suffice
