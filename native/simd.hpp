// A vector of doubles as wide as the instruction set this file is compiled for.
#pragma once

#include <cstddef>
#include <cstring>

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

inline std::size_t round_up(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

}  // namespace suffice
