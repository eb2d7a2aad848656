// Newton steps of rows as whole numbers.
#pragma once

#include <cmath>

#include "growth/triple_rows.hpp"

namespace suffice {

// Whole numbers of a row: its gradient downwards, its curvature and its weight.
struct Scaled {
    double first, second;                         // what numbers are multiplied by
    const double *gradient, *curvature, *factor;  // curvature: null where it is the weight; factor: null for 1
    const std::int64_t* times;                    // null for 1

    TripleSums operator()(std::size_t i) const {
        const double f = factor ? factor[i] : 1.0;
        const std::int64_t t = times ? times[i] : 1, whole = factor ? 1 : t;
        return {whole * rounded(-gradient[i] * f * first), curvature ? whole * rounded(curvature[i] * f * second) : t, t};
    }
    static std::int64_t rounded(double x) { return static_cast<std::int64_t>(std::nearbyint(x)); }
};

}  // namespace suffice
