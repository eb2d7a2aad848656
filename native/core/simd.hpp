// A vector of doubles as wide as the instruction set this file is compiled for.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

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

// Rounded once where the machine can, whatever the compiler makes of it: distances have the same bits everywhere.
inline double plus_square(double sum, double step) {
#if defined(__FP_FAST_FMA)
    return __builtin_fma(step, step, sum);
#else
    return sum + step * step;
#endif
}

inline Vec plus_square(Vec sum, Vec step) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(step, step, sum);
#elif defined(__AVX__) && defined(__FMA__)
    return _mm256_fmadd_pd(step, step, sum);
#else
    return sum + step * step;
#endif
}

inline std::size_t round_up(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

}  // namespace suffice
