// A square of kLanes × kLanes doubles, turned in registers.
#pragma once

#include <utility>

#include "core/simd.hpp"

namespace suffice {

// Exchanges the off-diagonal halves of all squares of 2 · half lanes.
template <int half, int... l>
inline void turn_halves(Vec (&v)[kLanes], std::integer_sequence<int, l...>) {
    for (int a = 0; a < kLanes; ++a) {
        if (a & half) continue;
        const Vec first = v[a], second = v[a + half];
        v[a] = __builtin_shufflevector(first, second, (l & half ? l - half + kLanes : l)...);
        v[a + half] = __builtin_shufflevector(first, second, (l & half ? l + kLanes : l + half)...);
    }
}

inline void turn(Vec (&v)[kLanes]) {
    constexpr std::make_integer_sequence<int, kLanes> kAll;
    turn_halves<1>(v, kAll);
    if constexpr (kLanes > 2) turn_halves<2>(v, kAll);
    if constexpr (kLanes > 4) turn_halves<4>(v, kAll);
}

}  // namespace suffice
