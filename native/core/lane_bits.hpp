// Which lanes of a vector are at most those of another, as bits.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstdint>

#include "core/simd.hpp"

namespace suffice {

inline std::uint32_t at_most(LaneTypes<float>::V value, LaneTypes<float>::V limit) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask(value, limit, _CMP_LE_OQ);
#elif defined(__AVX__)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(value, limit, _CMP_LE_OQ)));
#elif defined(__SSE2__)
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmple_ps(value, limit)));
#else
    std::uint32_t bits = 0;
    for (int l = 0; l < 2 * kLanes; ++l) bits |= static_cast<std::uint32_t>(value[l] <= limit[l]) << l;
    return bits;
#endif
}

inline std::uint32_t at_most(Vec value, Vec limit) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask(value, limit, _CMP_LE_OQ);
#elif defined(__AVX__)
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(value, limit, _CMP_LE_OQ)));
#elif defined(__SSE2__)
    return static_cast<std::uint32_t>(_mm_movemask_pd(_mm_cmple_pd(value, limit)));
#else
    std::uint32_t bits = 0;
    for (int l = 0; l < kLanes; ++l) bits |= static_cast<std::uint32_t>(value[l] <= limit[l]) << l;
    return bits;
#endif
}

}  // namespace suffice
