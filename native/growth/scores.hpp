// How pure a node is, times its weight, from its sums: the higher the better. A split gains what its halves have more
// than their parent.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "growth/cells.hpp"

namespace suffice {

// In the order of `CRITERIA` in suffice.backend.growth.
enum class Criterion : int { squared, deviance, gini, entropy, error, absolute };

inline double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

// Of a pair of sums: targets and weights, or of two classes the weight of the second and that of both.
inline double pair_score(Criterion criterion, double first, double second, double l2) {
    const double other = second - first;
    switch (criterion) {
        case Criterion::squared: return second + l2 > 0 ? first * first / (second + l2) : 0.0;  // −Σ w (y − ȳ)² but for Σ w y²
        case Criterion::deviance:  // of counts, halved; a mean of 0 would make any count impossible
            return first > 0 ? first * std::log(first / second) : -std::numeric_limits<double>::infinity();
        case Criterion::gini: return second > 0 ? (first * first + other * other) / second : 0.0;
        case Criterion::entropy: return x_log_x(first) + x_log_x(other) - x_log_x(second);
        case Criterion::error: return std::max(first, other);
        case Criterion::absolute: break;  // no function of sums; see `MedianRows`
    }
    return 0.0;
}

// Of the weights of k classes.
inline double class_score(Criterion criterion, const std::int64_t* w, std::size_t k, double weight) {
    double sum = 0;
    switch (criterion) {
        case Criterion::entropy:
            for (std::size_t c = 0; c < k; ++c) sum += x_log_x(static_cast<double>(w[c]));
            return sum - x_log_x(weight);
        case Criterion::error: return static_cast<double>(*std::max_element(w, w + k));
        default:
            for (std::size_t c = 0; c < k; ++c) sum += static_cast<double>(w[c]) * static_cast<double>(w[c]);
            return weight > 0 ? sum / weight : 0.0;
    }
}

// Of the sums of k targets.
inline double targets_score(const std::int64_t* sums, std::size_t k, double weight) {
    double squares = 0;
    for (std::size_t c = 0; c < k; ++c) squares += static_cast<double>(sums[c]) * static_cast<double>(sums[c]);
    return weight > 0 ? squares / weight : 0.0;
}

// The same of counts.
inline double targets_deviance(const std::int64_t* sums, std::size_t k, double weight, double unit) {
    double sum = 0;
    for (std::size_t c = 0; c < k; ++c) sum += pair_score(Criterion::deviance, static_cast<double>(sums[c]) * unit, weight, 0.0);
    return sum;
}

}  // namespace suffice
