// Arrays of any length read in whole vectors of doubles.
#pragma once

#include <cstddef>
#include <cstring>

#include "core/simd.hpp"

namespace suffice {

inline Vec load_double(const double* p) { return load(p); }

inline Vec load_double(const float* p) {
    typedef float Half __attribute__((vector_size(kLanes * sizeof(float))));
    Half v;
    std::memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, Vec);
}

// The first `count` numbers, fewer than lanes, and zeros.
inline Vec load_first(const double* p, std::size_t count) {
#if defined(__AVX512F__)
    return Vec(_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), p));
#else
    Vec v{};
    for (std::size_t l = 0; l < count; ++l) v[l] = p[l];
    return v;
#endif
}

// Calls body(i, get) for every vector of n numbers; get(p) reads p[i…], zeros beyond the end.
template <class Body>
void for_vectors(std::size_t n, Body body) {
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) body(i, [i](const auto* p) { return load_double(p + i); });
    if (i < n)
        body(i, [i, n](const auto* p) {
            Vec v{};
            for (std::size_t l = i; l < n; ++l) v[l - i] = static_cast<double>(p[l]);
            return v;
        });
}

}  // namespace suffice
