// Random bits by numbers, the same on every machine.
#pragma once

#include <cstdint>

namespace suffice {

inline constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

// A bijection of 64 bits that spreads every bit over all (as in SplitMix64).
inline std::uint64_t mix(std::uint64_t z) {
    z += kGolden;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

}  // namespace suffice
