// Rows rounded to bytes, for products of bytes (AVX-512 VNNI multiplies four times as many bytes as floats at a time).
//
// A row is x = s b + e: bytes b between −127 and 127, the step s, the rest e. With c likewise, x·c from bytes is off by at most
// ‖e_x‖ ‖c‖ + ‖s_x b_x‖ ‖e_c‖ ≤ E_x ‖c‖, with E_x = ‖e_x‖ + ‖s_x b_x‖ max ‖e_c‖/‖c‖.
#pragma once

#if defined(__AVX512BW__)
#include <immintrin.h>

#include "core/cpu_features.hpp"
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/simd.hpp"

namespace suffice {

inline constexpr double kFarthest = 1e15;  // from the shift: beyond, single precision could overflow
inline constexpr double kUp = 1.000001;    // rounds what bounds something

#if defined(__AVX512BW__)
inline bool has_byte_products() {
    static const bool has = cpu_features().byte_products;
    return has;
}

// Adds, in each lane, the products of four unsigned bytes with four signed ones. The instruction is written out since its
// set is not one this file is compiled for, and compilers copy the sums around its intrinsic.
inline void add_products(__m512i& sum, __m512i unsigned_bytes, __m512i signed_bytes) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsigned_bytes), "v"(signed_bytes));
}

// A few times two vectors of sums. All numbers of sums are known to the compiler, so that it keeps them in registers.
template <std::size_t... r>
struct ProductSums {
    __m512i sum[sizeof...(r)][2];

    explicit ProductSums(std::index_sequence<r...>) {}

    // For each of `quads` times four columns: four bytes of each of one side, all broadcast, with two vectors of the other;
    // `is_unsigned`: the first side is.
    template <bool is_unsigned>
    void add(const void* one, const void* other, std::size_t quads) {
        __m512i own[sizeof...(r)][2] = {{sum[r][0], sum[r][1]}...};
        auto *fours = static_cast<const char*>(one), *vectors = static_cast<const char*>(other);
        for (std::size_t q = 0; q < quads; ++q, fours += 4 * sizeof...(r), vectors += 128) {
            const __m512i first = _mm512_loadu_si512(vectors), second = _mm512_loadu_si512(vectors + 64);
            (add_one<is_unsigned>(own[r], fours + 4 * r, first, second), ...);
        }
        ((sum[r][0] = own[r][0], sum[r][1] = own[r][1]), ...);
    }

  private:
    template <bool is_unsigned>
    static void add_one(__m512i (&own)[2], const char* four, __m512i first, __m512i second) {
        std::int32_t bytes;
        std::memcpy(&bytes, four, 4);
        const __m512i all = _mm512_set1_epi32(bytes);
        if constexpr (is_unsigned) {
            add_products(own[0], all, first);
            add_products(own[1], all, second);
        } else {
            add_products(own[0], first, all);
            add_products(own[1], second, all);
        }
    }
};

template <std::size_t count>
auto product_sums() {
    return ProductSums(std::make_index_sequence<count>{});
}
#else
inline bool has_byte_products() { return false; }
#endif

struct Bytes {
    double step, squared, length, error;  // ‖x‖², ‖x‖ and ‖e‖, the lengths rounded up; no error is finite if x has no bytes
    std::int32_t sum;                     // Σ b, which takes a zero of 128 on the other side away

    // E_x, with the rounding of a score in single precision; `longest` and `ratio`: the largest ‖c‖ and ‖e_c‖/‖c‖.
    double error_with(double longest, double ratio) const {
        return (error + (length + error) * ratio + 1e-6 * (length + longest)) * kUp;
    }

    double ratio() const { return length > 0 ? error / length : error; }
};

// x: `width` cells, a multiple of 8, of which those after the last are 0. Four bytes at a time go to `out`, `stride` apart;
// `zero` stands for 0.
inline Bytes to_bytes(const double* x, std::size_t width, std::size_t quads, void* out, std::size_t stride, int zero) {
    Vec most{}, norm{}, error{}, sum{};
    for (std::size_t i = 0; i < width; i += kLanes) {
        const Vec at = load(x + i), size = at < 0 ? -at : at;
        most = most < size ? size : most;
        norm += at * at;
    }
    double largest = 0;
    for (int l = 0; l < kLanes; ++l) largest = std::max(largest, most[l]);
    const double squared = sum_lanes(norm), length = std::sqrt(squared) * kUp;
    if (!(length < kFarthest) || (length > 0 && length < 1e-100))
        return {0, 0, 0, std::numeric_limits<double>::infinity(), 0};
    const double step = largest / 127, inverse = largest > 0 ? 127 / largest : 0;
    typedef std::int32_t Ints __attribute__((vector_size(kLanes * 4)));
    typedef std::int8_t Chars __attribute__((vector_size(kLanes)));
    for (std::size_t i = 0; i < width; i += kLanes) {
        constexpr double kRound = 6755399441055744.0;  // adding 1.5 · 2⁵² leaves the nearest integer
        const Vec at = load(x + i), whole = (at * inverse + kRound) - kRound, rest = at - whole * step;
        error += rest * rest;
        sum += whole;
        const Chars bytes = __builtin_convertvector(__builtin_convertvector(whole, Ints) + zero, Chars);
        for (std::size_t q = 0; q < kLanes / 4 && i / 4 + q < quads; ++q)
            std::memcpy(static_cast<char*>(out) + (i / 4 + q) * stride, reinterpret_cast<const char*>(&bytes) + 4 * q, 4);
    }
    return {step, squared, length, std::sqrt(sum_lanes(error)) * kUp + length * 1e-15,
            static_cast<std::int32_t>(sum_lanes(sum))};
}

}  // namespace suffice
