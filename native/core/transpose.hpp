// A square of kLanes × kLanes doubles, turned in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/simd.hpp"

namespace suffice {

using Lanes = LaneTypes<double>::I;

// Exchanges the off-diagonal halves of all squares of 2 · half lanes.
template <int half>
inline void turn_halves(Vec (&v)[kLanes]) {
    Lanes low, high;
    for (int l = 0; l < kLanes; ++l) {
        low[l] = l & half ? l - half + kLanes : l;
        high[l] = l & half ? l + kLanes : l + half;
    }
    for (int a = 0; a < kLanes; ++a) {
        if (a & half) continue;
        const Vec first = v[a], second = v[a + half];
        v[a] = __builtin_shuffle(first, second, low);
        v[a + half] = __builtin_shuffle(first, second, high);
    }
}

inline void turn(Vec (&v)[kLanes]) {
    turn_halves<1>(v);
    if constexpr (kLanes > 2) turn_halves<2>(v);
    if constexpr (kLanes > 4) turn_halves<4>(v);
}

}  // namespace suffice
