// The squared Euclidean distance between two rows.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "simd.hpp"

namespace suffice {

// The sum of the lanes, in halves: fewer dependent additions than one after the other.
template <class V>
inline auto sum_across(const V& v) {
    using T = std::remove_cvref_t<decltype(v[0])>;
    if constexpr (sizeof(V) == 2 * sizeof(T)) {
        return v[0] + v[1];
    } else {
        typedef T Half __attribute__((vector_size(sizeof(V) / 2)));
        Half half[2];
        std::memcpy(half, &v, sizeof v);
        return sum_across(Half(half[0] + half[1]));
    }
}

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
        total = sum_across((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    for (; j < d; ++j) total += (a[j] - b[j]) * (a[j] - b[j]);
    return total;
}

}  // namespace suffice
