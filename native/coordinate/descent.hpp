// Epochs of cyclic coordinate descent, whatever the columns are kept in.
#pragma once

#include "core/binding.hpp"
#include "core/clock.hpp"

namespace suffice {

struct Costs {
    const double* absolute;  // of |w|, (m)
    const double* squared;   // of ½ w², (m)
    bool positive;           // whether no slope may be below 0
};

struct Until {
    std::size_t epochs;
    double tol;  // the last epoch gains no more than this
};

// The v that minimises ½ square v² − pull v and its costs; 0 where nothing holds it.
inline double best_slope(double pull, double square, const Costs& costs, std::size_t j) {
    const double bent = square + costs.squared[j], absolute = costs.absolute[j];
    if (!(bent > 0)) return 0;
    if (pull > absolute) return (pull - absolute) / bent;
    if (pull < -absolute && !costs.positive) return (pull + absolute) / bent;
    return 0;
}

// pull(j) is minus the gradient of the quadratic part; move(j, by) tells the others that slope j grew.
template <class Square, class Pull, class Move>
double descend(std::size_t m, const Costs& costs, const Until& until, const Runtime& runtime, double* w, Square square,
               Pull pull, Move move) {
    constexpr std::size_t kBetween = 64;  // slopes between two looks at the clock
    Clock clock(runtime);
    double gain = 0;
    for (std::size_t epoch = 0; epoch < until.epochs; ++epoch) {
        gain = 0;
        for (std::size_t j = 0; j < m; ++j) {
            const double bent = square(j), by = best_slope(pull(j) + bent * w[j], bent, costs, j) - w[j];
            if (j % kBetween == 0) clock.poll();
            if (by == 0) continue;
            move(j, by);
            w[j] += by;
            gain += 0.5 * (bent + costs.squared[j]) * by * by;
        }
        if (gain <= until.tol) break;
    }
    return gain;
}

}  // namespace suffice
