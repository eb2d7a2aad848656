// Finds the nearest of many centres by products of bytes, where the processor has them (AVX-512 VNNI multiplies four
// times as many bytes as floats at a time).
//
// A row about the shift is x = s b + e: bytes b between −127 and 127, the step s, the rest e; a centre likewise. So x·c
// from bytes is off by at most ‖e_x‖ ‖c‖ + ‖s_x b_x‖ ‖e_c‖ ≤ E_x ‖c‖, with E_x = ‖e_x‖ + ‖s_x b_x‖ max ‖e_c‖/‖c‖. The centres
// whose score ‖c‖²/2 − x·c may be the least, given that, are computed in double; the first of the nearest wins.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lane_bits.hpp"
#include "simd.hpp"
#include "squared_distance.hpp"

namespace suffice {

struct Nearest {
    std::int32_t label;
    double squared;         // to the nearest centre, as far as wanted; infinite where no distance is finite
    double second_squared;  // at most that to any other centre

    void see(double squared_distance, std::size_t j) {
        if (squared_distance < squared) {
            second_squared = squared;
            squared = squared_distance;
            label = static_cast<std::int32_t>(j);
        } else {
            second_squared = std::min(second_squared, squared_distance);
        }
    }
};

inline constexpr double kFarthest = 1e15;  // from the shift: beyond, single precision could overflow

// How much scores may differ and distances in double be equal, or underflow in single precision.
inline double undecided(double squared_norm) { return 1e-12 * squared_norm + 1e-36; }

inline Nearest nearest_unseen() {
    return {0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}

#if defined(__AVX512BW__)

class ByteFilter {
    using V = LaneTypes<float>::V;
    using I = LaneTypes<float>::I;
    static constexpr std::size_t kVectors = 2, kWide = 16, kCentres = 8;
    static constexpr std::size_t kNarrowest = 48, kFewest = 12288;  // columns, cells: below, deciding costs what is saved
    static constexpr std::size_t kWidest = 60000;                   // above, the sum of products could overflow

  public:
    static constexpr std::size_t kRows = kVectors * kWide;

    ByteFilter(const double* centres, const double* shift, std::size_t k, std::size_t d)
        : centres_(centres), shift_(shift), k_(k), d_(d), quads_((d + 3) / 4), rests_(4 * round_up(quads_, 2)) {
        if (d < kNarrowest || k * d < kFewest || d > kWidest || !__builtin_cpu_supports("avx512vnni")) return;
        const std::size_t groups = (k + kCentres - 1) / kCentres;
        packed_.resize(groups * quads_ * kCentres * 4);
        start_.resize(groups * kCentres);
        step_.resize(groups * kCentres);
        length_.resize(groups * kCentres);
        half_norm_.assign(groups * kCentres, std::numeric_limits<float>::infinity());
        columns_.resize(quads_ * kRows * 4);
        scores_.resize(groups * kCentres * kRows);
        for (std::size_t j = 0; j < k; ++j) pack_centre(j);
        is_on_ = std::isfinite(longest_ + ratio_);
    }

    // Whether bytes tell the centres apart: few enough of them had to be computed in double.
    bool is_useful() const { return is_on_ && 16 * computed_ <= k_ * (seen_ + 2 * kRows); }

    void restart() { computed_ = seen_ = 0; }

    // At most kRows rows, d apart.
    void scan(const double* const* rows, std::size_t count, Nearest* found) {
        for (std::size_t r = 0; r < count; ++r)
            rows_[r] = to_bytes(rows[r], columns_.data() + 4 * r, 4 * kRows, 128);
        V limit[kVectors], step[kVectors] = {}, error[kVectors] = {};
        for (std::size_t r = 0; r < count; ++r) {
            step[r / kWide][r % kWide] = static_cast<float>(rows_[r].step);
            error[r / kWide][r % kWide] = static_cast<float>(error_of(rows_[r]));
        }
        for (V& least : limit) least = V{} + std::numeric_limits<float>::infinity();
        for (std::size_t g = 0; g * kCentres < k_; ++g) score(g, step, error, limit);
        decide(rows, count, limit, found);
        seen_ += count;
    }

  private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity(), kUp = 1.000001;

    struct Bytes {
        double step, squared, length, error;  // ‖x‖², ‖x‖ and ‖e‖, the lengths rounded up
    };

    // Four bytes at a time, `stride` apart; `zero` stands for 0.
    Bytes to_bytes(const double* row, void* out, std::size_t stride, int zero) {
        double* x = rests_.data();
        Vec most{}, norm{}, error{};
        for (std::size_t i = 0; i < d_; ++i) x[i] = row[i] - shift_[i];
        for (std::size_t i = 0; i < rests_.size(); i += kLanes) {
            const Vec at = load(x + i), size = at < 0 ? -at : at;
            most = most < size ? size : most;
            norm += at * at;
        }
        double largest = 0;
        for (int l = 0; l < kLanes; ++l) largest = std::max(largest, most[l]);
        const double squared = sum_lanes(norm), length = std::sqrt(squared) * kUp;
        if (!(length < kFarthest) || (length > 0 && length < 1e-100)) return {0, 0, 0, kInfinity};
        const double step = largest / 127, inverse = largest > 0 ? 127 / largest : 0;
        typedef std::int32_t Ints __attribute__((vector_size(kLanes * 4)));
        typedef std::int8_t Chars __attribute__((vector_size(kLanes)));
        for (std::size_t i = 0; i < rests_.size(); i += kLanes) {
            constexpr double kRound = 6755399441055744.0;  // adding 1.5 · 2⁵² leaves the nearest integer
            const Vec at = load(x + i), whole = (at * inverse + kRound) - kRound, rest = at - whole * step;
            error += rest * rest;
            const Chars bytes = __builtin_convertvector(__builtin_convertvector(whole, Ints) + zero, Chars);
            for (std::size_t q = 0; q < 2 && i / 4 + q < quads_; ++q)
                std::memcpy(static_cast<char*>(out) + (i / 4 + q) * stride, reinterpret_cast<const char*>(&bytes) + 4 * q, 4);
        }
        return {step, squared, length, std::sqrt(sum_lanes(error)) * kUp + length * 1e-15};
    }

    void pack_centre(std::size_t j) {
        std::int8_t* out = &packed_[(j / kCentres * quads_ * kCentres + j % kCentres) * 4];
        const Bytes centre = to_bytes(centres_ + j * d_, out, 4 * kCentres, 0);
        std::int32_t sum = 0;
        for (std::size_t q = 0; q < quads_; ++q)
            for (std::size_t b = 0; b < 4; ++b) sum += out[q * 4 * kCentres + b];
        start_[j] = -128 * sum;
        step_[j] = static_cast<float>(centre.step);
        half_norm_[j] = static_cast<float>(centre.squared / 2);
        length_[j] = static_cast<float>(centre.length * kUp);
        longest_ = std::max(longest_, centre.length);
        ratio_ = std::max(ratio_, centre.length > 0 ? centre.error / centre.length : centre.error);
    }

    // E_x, with the rounding of a score in single precision.
    double error_of(const Bytes& row) const {
        return (row.error + (row.length + row.error) * ratio_ + 1e-6 * (row.length + longest_)) * kUp;
    }

    // The least possible scores of a few centres with all rows; `limit` is the least of the greatest possible ones.
    [[gnu::target("avx512vnni")]] void score(std::size_t g, const V* step, const V* error, V* limit) {
        __m512i sum[kCentres][kVectors];
#pragma GCC unroll 8
        for (std::size_t c = 0; c < kCentres; ++c)
            sum[c][0] = sum[c][1] = _mm512_set1_epi32(start_[g * kCentres + c]);
        const std::int8_t* centre = &packed_[g * quads_ * kCentres * 4];
        const std::uint8_t* column = columns_.data();
        for (std::size_t q = 0; q < quads_; ++q, centre += kCentres * 4, column += kRows * 4) {
            const __m512i x0 = _mm512_loadu_si512(column), x1 = _mm512_loadu_si512(column + 64);
#pragma GCC unroll 8
            for (std::size_t c = 0; c < kCentres; ++c) {
                std::int32_t four;
                std::memcpy(&four, centre + 4 * c, 4);
                const __m512i at = _mm512_set1_epi32(four);
                sum[c][0] = _mm512_dpbusd_epi32(sum[c][0], x0, at);
                sum[c][1] = _mm512_dpbusd_epi32(sum[c][1], x1, at);
            }
        }
        float* out = &scores_[g * kCentres * kRows];
        for (std::size_t c = 0; c < kCentres; ++c, out += kRows)
            for (std::size_t v = 0; v < kVectors; ++v) {
                const std::size_t j = g * kCentres + c;
                const V middle = half_norm_[j] - step[v] * step_[j] * __builtin_convertvector(I(sum[c][v]), V);
                const V most = middle + error[v] * length_[j], least = middle - error[v] * length_[j];
                limit[v] = most < limit[v] ? most : limit[v];
                std::memcpy(out + v * kWide, &least, sizeof least);
            }
    }

    void decide(const double* const* rows, std::size_t count, V* limit, Nearest* found) {
        V rest[kVectors];  // the least score above the limit
        for (V& least : rest) least = V{} + std::numeric_limits<float>::infinity();
        std::fill_n(found, count, nearest_unseen());
        for (std::size_t r = 0; r < kRows; ++r)
            limit[r / kWide][r % kWide] +=
                r < count ? static_cast<float>(undecided(rows_[r].squared)) : -std::numeric_limits<float>::infinity();
        for (std::size_t j = 0; j < k_; ++j)
            for (std::size_t v = 0; v < kVectors; ++v) {
                V score;
                std::memcpy(&score, &scores_[j * kRows + v * kWide], sizeof score);
                const I is_candidate = score <= limit[v];
                const V other = is_candidate ? rest[v] : score;
                rest[v] = other < rest[v] ? other : rest[v];
                for (std::uint32_t bits = at_most(score, limit[v]); bits != 0; bits &= bits - 1) {
                    const std::size_t r = v * kWide + static_cast<std::size_t>(__builtin_ctz(bits));
                    found[r].see(squared_distance(rows[r], centres_ + j * d_, d_), j);
                    ++computed_;
                }
            }
        for (std::size_t r = 0; r < count; ++r) {
            if (!std::isfinite(limit[r / kWide][r % kWide])) {
                see_all(rows[r], found[r]);
                continue;
            }
            const double other = rows_[r].squared * (1 - 1e-12) + 2.0 * rest[r / kWide][r % kWide];
            found[r].second_squared = std::max(0.0, std::min(found[r].second_squared, other));
        }
    }

    void see_all(const double* row, Nearest& found) const {
        found = nearest_unseen();
        for (std::size_t j = 0; j < k_; ++j) found.see(squared_distance(row, centres_ + j * d_, d_), j);
    }

    const double* centres_;
    const double* shift_;
    std::size_t k_, d_, quads_;  // quads: groups of four columns
    std::vector<double> rests_;  // a row about the shift, in whole vectors
    std::vector<std::int8_t> packed_;     // (groups, quads, kCentres, 4)
    std::vector<std::uint8_t> columns_;   // (quads, kRows, 4), plus 128
    std::vector<std::int32_t> start_;     // takes the 128 of the rows away
    std::vector<float> step_, length_, half_norm_, scores_;  // scores (centres, rows)
    Bytes rows_[kRows];
    double longest_ = 0, ratio_ = 0;  // the largest ‖c‖ and ‖e_c‖/‖c‖
    std::size_t computed_ = 0, seen_ = 0;
    bool is_on_ = false;
};

#else

struct ByteFilter {  // never useful
    static constexpr std::size_t kRows = 32;

    ByteFilter(const double*, const double*, std::size_t, std::size_t) {}
    bool is_useful() const { return false; }
    void restart() {}
    void scan(const double* const*, std::size_t, Nearest*) {}
};

#endif

}  // namespace suffice
