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

    TripleRows(const std::int64_t* sums, TripleUnits units) : sums_(sums), u_(units) {}

    Own own(Row row, std::int64_t times) const {
        const std::int64_t* s = sums_ + 3 * static_cast<std::size_t>(row);
        return {times * s[0], times * s[1], times * s[2]};
    }
    void write(const Sums& s, std::int64_t* out) const { out[0] = s.first, out[1] = s.second, out[2] = s.third; }
    double weight(const Sums& s) const { return static_cast<double>(s.third) * u_.third; }
    double score(const Sums& s) const {
        return newton_score(static_cast<double>(s.first) * u_.first, static_cast<double>(s.second) * u_.second, u_.l2);
    }
    double value(const Sums& s) const {
        return static_cast<double>(s.first) * u_.first / (static_cast<double>(s.second) * u_.second + u_.l2);
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

    // The scores of all cuts are found at once, so that divisions run side by side.
    class Sides {
      public:
        Sides(const TripleRows& rows, Cells& cells, const Sums& all)
            : u_(rows.u_), c_(cells), all_(all), first_(static_cast<double>(all.first) * u_.first),
              second_(static_cast<double>(all.second) * u_.second) {}

        void start(bool missing_left, const std::vector<std::size_t>& order) {
            Sums left = missing_left ? c_.missing : Sums{};
            count_ = order.size();
            for (std::size_t p = 0; p < count_; ++p) {
                const std::size_t at = order[p];
                c_.left_first[p] = left.first += c_.first[at];
                c_.left_second[p] = left.second += c_.second[at];
                c_.left_third[p] = left.third += c_.third[at];
            }
            for (std::size_t p = count_; p % kLanes; ++p) c_.left_first[p] = c_.left_second[p] = 0;  // no cut: −∞
            score_all();
            at_ = static_cast<std::size_t>(-1);
        }
        // Whether some cut has a score above a bar, whatever it weighs.
        bool beats(double bar) const { return most_ > bar; }
        void move(std::size_t) { ++at_; }
        double left_weight() const { return static_cast<double>(c_.left_third[at_]) * u_.third; }
        double right_weight() const { return static_cast<double>(all_.third - c_.left_third[at_]) * u_.third; }
        double left_value() const { return left_first() / (left_second() + u_.l2); }
        double right_value() const { return (first_ - left_first()) / (second_ - left_second() + u_.l2); }
        double score() const { return c_.scores[at_]; }

      private:
        static Vec as_numbers(const std::int64_t* p) {
            Bits whole;
            std::memcpy(&whole, p, sizeof whole);
            return __builtin_convertvector(whole, Vec);
        }
        void score_all() {
            const Vec least = broadcast(-std::numeric_limits<double>::infinity());
            Vec most = least;
            for (std::size_t p = 0; p < count_; p += kLanes) {
                const Vec a = as_numbers(&c_.left_first[p]) * u_.first, b = first_ - a;
                const Vec h = as_numbers(&c_.left_second[p]) * u_.second, k = second_ - h;
                const Vec score = a * a / (h + u_.l2) + b * b / (k + u_.l2), low = h < k ? h : k;
                const Vec own = low >= kLeastCurvature ? score : least;
                store(&c_.scores[p], own);
                most = own > most ? own : most;
            }
            most_ = most[0];
            for (int l = 1; l < kLanes; ++l) most_ = std::max(most_, most[l]);
        }

        const TripleUnits& u_;
        Cells& c_;
        const Sums all_;
        const double first_, second_;
        double most_ = 0;
        std::size_t at_ = 0, count_ = 0;

        double left_first() const { return static_cast<double>(c_.left_first[at_]) * u_.first; }
        double left_second() const { return static_cast<double>(c_.left_second[at_]) * u_.second; }
    };

  private:
    const std::int64_t* sums_;  // (n, 3)
    TripleUnits u_;
};

}  // namespace suffice
