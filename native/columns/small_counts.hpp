// Logarithms of the factorials of counts, nearly all of which are small whole numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/vector_math.hpp"
#include "core/vectors.hpp"

namespace suffice {

// log x! = log Γ(x + 1), 0 for a missing value. The C library's own keeps a sign for all threads.
inline double log_factorial(double x) {
    if (std::isnan(x)) return 0;
#if defined(__GLIBC__) || defined(__APPLE__)
    int sign;
    return ::lgamma_r(x + 1, &sign);
#else
    return std::lgamma(x + 1);
#endif
}

// log 0!, log 1!, … of the small counts; at least kLeast of them.
struct SmallCounts {
    static constexpr std::size_t kLeast = 16;

    const double* logs;
    double size;

    double one(double count) const {
        const bool inside = count >= 0 && count < size && std::floor(count) == count;
        return inside ? logs[static_cast<std::size_t>(count)] : log_factorial(count);
    }

    // The logarithms of the factorials; of cells that are no small whole numbers one by one, where `least` takes those
    // below 0 in, and missing ones become 0.
    Vec of(Vec& counts, double& least) const {
#if defined(__AVX512F__)
        // 2⁵² more, and a small whole number is in the last bits; of doubles that are not below 0 bits grow with numbers.
        const __m512d own = __m512d(counts), shifted = _mm512_add_pd(own, _mm512_set1_pd(0x1p52));
        const __mmask8 whole = _mm512_cmp_pd_mask(_mm512_sub_pd(shifted, _mm512_set1_pd(0x1p52)), own, _CMP_EQ_OQ);
        const __m512i sixteen = _mm512_castpd_si512(_mm512_set1_pd(kLeast));
        if (_mm512_mask_cmp_epu64_mask(whole, _mm512_castpd_si512(own), sixteen, _MM_CMPINT_LT) == 0xff)
            return Vec(_mm512_permutex2var_pd(_mm512_loadu_pd(logs), _mm512_castpd_si512(shifted),
                                              _mm512_loadu_pd(logs + 8)));
#endif
        Vec own_counts = counts;  // what is passed by its address does not stay in a register
        const Vec found = of_any(own_counts, least);
        counts = own_counts;
        return found;
    }

  private:
    [[gnu::noinline]] Vec of_any(Vec& counts, double& least) const {
        const Bits inside = (counts >= 0.0) & (counts < size);
        const Bits at = __builtin_convertvector(inside ? counts : Vec{}, Bits);
        const Bits exact = inside & (__builtin_convertvector(at, Vec) == counts);
        Vec found;
        if (sum_lanes(exact) != -kLanes) {
            for (int l = 0; l < kLanes; ++l) {
                found[l] = one(counts[l]);
                least = std::min(least, counts[l]);
                if (std::isnan(counts[l])) counts[l] = 0;
            }
            return found;
        }
#if defined(__AVX512F__)
        found = Vec(_mm512_mask_i64gather_pd(__m512d(Vec{}), 0xff, __m512i(at), logs, 8));  // the plain one warns
#elif defined(__AVX2__)
        found = Vec(_mm256_i64gather_pd(logs, __m256i(at), 8));
#else
        for (int l = 0; l < kLanes; ++l) found[l] = logs[at[l]];
#endif
        return found;
    }
};

constexpr std::size_t kCountRows = 96;  // of a block at most

// The same sums as `add_counts` of rows that are shorter than a vector and follow one another.
inline void add_short_counts(const double* rows, std::size_t count, std::size_t d, const SmallCounts& small,
                             double* sums, double* logs, double& least) {
    double each[kCountRows * kLanes + kLanes];
    for_vectors(count * d, [&](std::size_t i, auto get) {
        Vec own = get(rows);
        store(each + i, small.of(own, least));
    });
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = i * d; j < (i + 1) * d; ++j) {
            sums[i] += std::isnan(rows[j]) ? 0.0 : rows[j];
            logs[i] += each[j];
        }
}

// Adds to each of at most kCountRows rows, `stride` numbers apart, the sum of its d counts and that of the logarithms
// of their factorials; `least` takes in what is below 0. What a row adds does not depend on the others.
inline void add_counts(const double* rows, std::size_t stride, std::size_t count, std::size_t d,
                       const SmallCounts& small, double* sums, double* logs, double& least) {
    if (d < kLanes && stride == d) return add_short_counts(rows, count, d, small, sums, logs, least);
    for (std::size_t i = 0; i < count; ++i) {
        Vec sum = {}, log = {};
        auto add = [&](Vec own) {
            log += small.of(own, least);
            sum += own;
        };
        const double* row = rows + i * stride;
        std::size_t j = 0;
        for (; j + kLanes <= d; j += kLanes) add(load(row + j));
        if (j < d) add(load_first(row + j, d - j));  // the zeros beyond the end add nothing
        sums[i] += sum_lanes(sum);
        logs[i] += sum_lanes(log);
    }
}

// sums[i] becomes log sums[i]!
inline void log_sums(std::size_t count, const SmallCounts& small, double* sums) {
    double least = 0;
    for_vectors(count, [&](std::size_t i, auto get) {
        Vec own = get(sums);
        const Vec log = small.of(own, least);
        for (std::size_t l = 0; l < std::min<std::size_t>(kLanes, count - i); ++l) sums[i + l] = log[l];
    });
}

}  // namespace suffice
