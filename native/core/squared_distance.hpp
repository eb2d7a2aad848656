// The squared Euclidean distance between two rows.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/simd.hpp"

namespace suffice {

inline double squared_distance(const double* a, const double* b, std::size_t d) {
    double total = 0;
    std::size_t j = 0;
    if (d >= static_cast<std::size_t>(kLanes)) {
        Vec sum[4] = {};  // side by side, so that no addition waits for the one before
        for (; j + 4 * kLanes <= d; j += 4 * kLanes)
            for (int u = 0; u < 4; ++u) {
                const Vec delta = load(a + j + u * kLanes) - load(b + j + u * kLanes);
                sum[u] += delta * delta;
            }
        for (; j + kLanes <= d; j += kLanes) {
            const Vec delta = load(a + j) - load(b + j);
            sum[0] += delta * delta;
        }
        total = sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    for (; j < d; ++j) total += (a[j] - b[j]) * (a[j] - b[j]);
    return total;
}

}  // namespace suffice
