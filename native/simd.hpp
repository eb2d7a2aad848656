// A vector of doubles as wide as the instruction set this file is compiled for.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace suffice {

#if defined(__AVX512F__)
inline constexpr int kLanes = 8;
#elif defined(__AVX__)
inline constexpr int kLanes = 4;
#else
inline constexpr int kLanes = 2;
#endif

typedef double Vec __attribute__((vector_size(kLanes * sizeof(double))));

inline Vec load(const double* p) {
    Vec v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

inline void store(double* p, Vec v) { std::memcpy(p, &v, sizeof v); }

inline Vec broadcast(double x) { return Vec{} + x; }

// The sum of the lanes, in halves: fewer dependent additions than one after the other.
template <class V>
inline auto sum_lanes(const V& v) {
    constexpr int n = sizeof(V) / sizeof(v[0]);
    std::remove_cvref_t<decltype(v[0])> part[n];
    std::memcpy(part, &v, sizeof v);
    for (int half = n / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l) part[l] += part[l + half];
    return part[0];
}

inline std::size_t round_up(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

}  // namespace suffice
