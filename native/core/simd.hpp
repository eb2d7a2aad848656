// A vector of doubles as wide as the instruction set this file is compiled for.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Vectors of that width: V of C, and I of what a comparison of two V gives.
template <class C>
struct LaneTypes;
template <>
struct LaneTypes<float> {
    typedef float V __attribute__((vector_size(kLanes * sizeof(double))));
    typedef std::int32_t I __attribute__((vector_size(kLanes * sizeof(double))));
};
template <>
struct LaneTypes<double> {
    typedef double V __attribute__((vector_size(kLanes * sizeof(double))));
    typedef std::int64_t I __attribute__((vector_size(kLanes * sizeof(double))));
};

inline Vec load(const double* p) {
    Vec v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

inline void store(double* p, Vec v) { std::memcpy(p, &v, sizeof v); }

inline Vec broadcast(double x) { return x - Vec{}; }  // 0 + x would be an addition: it turns -0 into 0

// The sum of the lanes, in halves: fewer dependent additions than one after the other.
template <class V>
inline auto sum_lanes(const V& v) {
    using T = std::remove_cvref_t<decltype(v[0])>;
    if constexpr (sizeof(V) == 2 * sizeof(T)) {
        return v[0] + v[1];
    } else {
        typedef T Half __attribute__((vector_size(sizeof(V) / 2)));
        Half half[2];
        std::memcpy(half, &v, sizeof v);
        return sum_lanes(Half(half[0] + half[1]));
    }
}

inline std::size_t round_up(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

}  // namespace suffice
