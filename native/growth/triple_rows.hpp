// Rows that add to three sums, of the same shape as `PairRows`: gradients, curvatures and weights of a loss.
#pragma once

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
        explicit Cells(const TripleRows&) {
            found.reserve(kCodes);
            for (auto* each : {&first, &second, &third, &scores}) each->resize(kCodes);
        }
        void clear() { found.clear(), missing = {}; }

        std::vector<Sums> found;
        Sums missing;
        std::vector<double> first, second, third, scores;  // left of each cut
    };

    static constexpr std::size_t orders() { return 1; }
    double rank(const Cells& cells, std::size_t place, std::size_t) const { return value(cells.found[place]); }

    // The scores of all cuts are found at once, so that divisions run side by side.
    class Sides {
      public:
        Sides(const TripleRows& rows, Cells& cells, const Sums& all) : u_(rows.u_), c_(cells), all_(all) {}

        void start(bool missing_left, const std::vector<std::size_t>& order) {
            Sums left = missing_left ? c_.missing : Sums{};
            for (std::size_t p = 0; p < order.size(); ++p) {
                left += c_.found[order[p]];
                c_.first[p] = static_cast<double>(left.first) * u_.first;
                c_.second[p] = static_cast<double>(left.second) * u_.second;
                c_.third[p] = static_cast<double>(left.third) * u_.third;
            }
            const double first = static_cast<double>(all_.first) * u_.first, second = static_cast<double>(all_.second) * u_.second;
            for (std::size_t p = 0; p < order.size(); ++p) {
                const double a = c_.first[p], h = c_.second[p], b = first - a, k = second - h;
                const double score = a * a / (h + u_.l2) + b * b / (k + u_.l2);
                const bool allowed = h >= kLeastCurvature && k >= kLeastCurvature;
                c_.scores[p] = allowed ? score : -std::numeric_limits<double>::infinity();
            }
            at_ = static_cast<std::size_t>(-1);
        }
        void move(std::size_t) { ++at_; }
        double left_weight() const { return c_.third[at_]; }
        double right_weight() const { return static_cast<double>(all_.third) * u_.third - c_.third[at_]; }
        double left_value() const { return c_.first[at_] / (c_.second[at_] + u_.l2); }
        double right_value() const {
            const double first = static_cast<double>(all_.first) * u_.first, second = static_cast<double>(all_.second) * u_.second;
            return (first - c_.first[at_]) / (second - c_.second[at_] + u_.l2);
        }
        double score() const { return c_.scores[at_]; }

      private:
        const TripleUnits& u_;
        Cells& c_;
        const Sums all_;
        std::size_t at_ = 0;
    };

  private:
    const std::int64_t* sums_;  // (n, 3)
    TripleUnits u_;
};

}  // namespace suffice
