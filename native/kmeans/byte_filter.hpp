// Finds the nearest of many centres by products of bytes, where the processor has them. The centres whose score
// ‖c‖²/2 − x·c, about the shift, may be the least are computed in double; the first of the nearest wins.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/bytes.hpp"
#include "core/lane_bits.hpp"
#include "core/simd.hpp"
#include "core/squared_distance.hpp"

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

// How much scores may differ and distances in double be equal, or underflow in single precision.
inline double undecided(double squared_norm) { return 1e-12 * squared_norm + 1e-36; }

inline Nearest nearest_unseen() {
    return {0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}

// Every distance in double.
inline Nearest nearest_of_all(const double* row, const double* centres, std::size_t k, std::size_t d) {
    Nearest found = nearest_unseen();
    for (std::size_t j = 0; j < k; ++j) found.see(squared_distance(row, centres + j * d, d), j);
    return found;
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
        : centres_(centres), shift_(shift), k_(k), d_(d), quads_((d + 3) / 4), about_(4 * round_up(quads_, 2)) {
        if (d < kNarrowest || k * d < kFewest || d > kWidest || !has_byte_products()) return;
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
            rows_[r] = bytes_of(rows[r], columns_.data() + 4 * r, 4 * kRows, 128);
        V limit[kVectors], step[kVectors] = {}, error[kVectors] = {};
        for (std::size_t r = 0; r < count; ++r) {
            step[r / kWide][r % kWide] = static_cast<float>(rows_[r].step);
            error[r / kWide][r % kWide] = static_cast<float>(rows_[r].error_with(longest_, ratio_));
        }
        for (V& least : limit) least = V{} + std::numeric_limits<float>::infinity();
        for (std::size_t g = 0; g * kCentres < k_; ++g) score(g, step, error, limit);
        decide(rows, count, limit, found);
        seen_ += count;
    }

  private:
    // A row about the shift.
    Bytes bytes_of(const double* row, void* out, std::size_t stride, int zero) {
        for (std::size_t i = 0; i < d_; ++i) about_[i] = row[i] - shift_[i];
        return to_bytes(about_.data(), about_.size(), quads_, out, stride, zero);
    }

    void pack_centre(std::size_t j) {
        std::int8_t* out = &packed_[(j / kCentres * quads_ * kCentres + j % kCentres) * 4];
        const Bytes centre = bytes_of(centres_ + j * d_, out, 4 * kCentres, 0);
        start_[j] = -128 * centre.sum;
        step_[j] = static_cast<float>(centre.step);
        half_norm_[j] = static_cast<float>(centre.squared / 2);
        length_[j] = static_cast<float>(centre.length * kUp);
        longest_ = std::max(longest_, centre.length);
        ratio_ = std::max(ratio_, centre.ratio());
    }

    // The least possible scores of a few centres with all rows; `limit` is the least of the greatest possible ones.
    void score(std::size_t g, const V* step, const V* error, V* limit) {
        auto products = product_sums<kCentres>();
        for (std::size_t c = 0; c < kCentres; ++c)
            products.sum[c][0] = products.sum[c][1] = _mm512_set1_epi32(start_[g * kCentres + c]);
        products.add<false>(&packed_[g * quads_ * kCentres * 4], columns_.data(), quads_);
        float* out = &scores_[g * kCentres * kRows];
        for (std::size_t c = 0; c < kCentres; ++c, out += kRows)
            for (std::size_t v = 0; v < kVectors; ++v) {
                const std::size_t j = g * kCentres + c;
                const V middle = half_norm_[j] - step[v] * step_[j] * __builtin_convertvector(I(products.sum[c][v]), V);
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
                found[r] = nearest_of_all(rows[r], centres_, k_, d_);
                continue;
            }
            const double other = rows_[r].squared * (1 - 1e-12) + 2.0 * rest[r / kWide][r % kWide];
            found[r].second_squared = std::max(0.0, std::min(found[r].second_squared, other));
        }
    }

    const double* centres_;
    const double* shift_;
    std::size_t k_, d_, quads_;  // quads: groups of four columns
    std::vector<double> about_;  // a row about the shift, in whole vectors
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
