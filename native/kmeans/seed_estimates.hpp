// Estimates, in single precision, of how much nearer a few candidates are to a row than its centre is, with bounds of
// their errors.
//
// Rows are taken about a shift and scaled to a size near 1, so that squares neither overflow nor vanish. Of a row x and a
// candidate c, ‖x‖² + ‖c‖² − 2 x·c is off by at most unit (2 ‖x‖² + 2 ‖c‖² + s), with s the square it is compared with.
#pragma once

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/simd.hpp"
#include "core/view.hpp"

namespace suffice {

// Where the rows lie and how large they are, by some of them.
struct Frame {
    std::vector<double> shift;
    double scale = 1;

    template <class T>
    explicit Frame(const View<T>& x) : shift(x.cols) {
        constexpr std::size_t kRows = 1000, kCells = std::size_t{1} << 18;  // at most so many, or nearly
        const std::size_t step = std::max<std::size_t>({1, x.rows / kRows, x.rows * x.cols / kCells});
        const double share = 1 / static_cast<double>((x.rows + step - 1) / step);
        for (std::size_t i = 0; i < x.rows; i += step)
            for (std::size_t j = 0; j < x.cols; ++j) shift[j] += static_cast<double>(x.at(i, j)) * share;
        constexpr std::size_t kSums = 8;  // side by side, so that no comparison waits for the one before
        double most[kSums] = {};
        for (std::size_t i = 0; i < x.rows; i += step)
            for (std::size_t j = 0; j < x.cols; ++j) {
                const double size = std::abs(static_cast<double>(x.at(i, j)) - shift[j]);
                most[j % kSums] = size > most[j % kSums] ? size : most[j % kSums];
            }
        const double spread = *std::max_element(most, most + kSums);
        if (spread > 0) scale = 1 / spread;
    }

    float squared_norm(const double* row) const {
        constexpr std::size_t kSums = 8;  // side by side, so that no addition waits for the one before
        double sum[kSums] = {};
        std::size_t j = 0;
        for (; j + kSums <= shift.size(); j += kSums)
            for (std::size_t u = 0; u < kSums; ++u) {
                const double x = (row[j + u] - shift[j + u]) * scale;
                sum[u] += x * x;
            }
        for (; j < shift.size(); ++j) sum[0] += (row[j] - shift[j]) * scale * (row[j] - shift[j]) * scale;
        for (std::size_t u = 1; u < kSums; ++u) sum[0] += sum[u];
        return static_cast<float>(sum[0]);
    }

    // Whether squares about it can be told in single precision at all.
    bool is_usable() const { return scale > 1e-120 && scale < 1e120; }

    template <class T>
    void put(const View<T>& x, std::size_t i, float* out) const {
        if (x.col_stride == 1) {
            const T* row = &x.at(i, 0);
            for (std::size_t j = 0; j < x.cols; ++j)
                out[j] = static_cast<float>((static_cast<double>(row[j]) - shift[j]) * scale);
        } else {
            for (std::size_t j = 0; j < x.cols; ++j)
                out[j] = static_cast<float>((static_cast<double>(x.at(i, j)) - shift[j]) * scale);
        }
    }
};

class Estimates {
    typedef float Eight __attribute__((vector_size(32)));
    typedef double Doubles __attribute__((vector_size(64)));
    static constexpr std::size_t kWide = 8;

  public:
    static constexpr std::size_t kRows = 8;  // at a time: sums that do not wait for each other

    // Candidates (count, d), as they stand in the data.
    Estimates(const double* points, std::size_t count, std::size_t d, const Frame& frame)
        : frame_(frame), d_(d), width_(round_up(count, kWide)), packed_(d * width_), norm_(width_), cells_(kRows * d),
          unit_(6e-8 * static_cast<double>(d + 8)), gain(width_) {
        for (std::size_t p = 0; p < count; ++p) {
            double norm = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const double x = (points[p * d + j] - frame.shift[j]) * frame.scale;
                packed_[j * width_ + p] = static_cast<float>(-2 * x);
                norm += x * x;
            }
            norm_[p] = static_cast<float>(norm);
            longest_ = std::max(longest_, norm);
        }
        std::fill_n(rows_, kRows, cells_.data());
    }

    void clear() {
        std::fill(gain.begin(), gain.end(), 0.0);
        error = 0;
    }

    // A row in the frame, which must stay where it is until it is seen.
    void put(std::size_t r, const float* row) { rows_[r] = row; }

    template <class T>
    void put(std::size_t r, const View<T>& x, std::size_t i) {
        frame_.put(x, i, &cells_[r * d_]);
        rows_[r] = &cells_[r * d_];
    }

    // squared, norm (scaled), weight (kRows) of the rows put; a bit of `nearer` is set where a candidate, by its number
    // modulo 32, may be nearer than squared.
    void see(const double* squared, const float* norm, const double* weight, std::uint32_t* nearer) {
        float margin[kRows], over[kRows];
        for (std::size_t r = 0; r < kRows; ++r) {
            const double size = unit_ * (2.0 * norm[r] + 2 * longest_ + squared[r]);
            error += weight[r] * size;
            margin[r] = static_cast<float>(-1.000001 * size);
            over[r] = static_cast<float>(squared[r] - static_cast<double>(norm[r]));
            nearer[r] = 0;
        }
        for (std::size_t v = 0; v < width_; v += kWide) {
            Eight sum[kRows];
            multiply(v, sum);
            Doubles total;
            std::memcpy(&total, &gain[v], sizeof total);
            for (std::size_t r = 0; r < kRows; ++r) {
                const Eight better = over[r] - sum[r];
                nearer[r] |= not_below(better, margin[r]) << (v % 32);
                const Eight positive = better > 0 ? better : Eight{};
                total += weight[r] * __builtin_convertvector(positive, Doubles);
            }
            std::memcpy(&gain[v], &total, sizeof total);
        }
    }

  private:
    // ‖c‖² − 2 x·c of all rows and eight candidates.
    void multiply(std::size_t v, Eight (&sum)[kRows]) const {
        Eight norm;
        std::memcpy(&norm, &norm_[v], sizeof norm);
        for (std::size_t r = 0; r < kRows; ++r) sum[r] = norm;
        const float* point = &packed_[v];
        for (std::size_t j = 0; j < d_; ++j, point += width_) {
            Eight at;
            std::memcpy(&at, point, sizeof at);
            for (std::size_t r = 0; r < kRows; ++r) sum[r] += rows_[r][j] * at;
        }
    }

    // Which lanes are not below the limit: lanes that are no numbers too.
    static std::uint32_t not_below(const Eight& value, float limit) {
#if defined(__AVX__)
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(value, _mm256_set1_ps(limit), _CMP_NLT_UQ)));
#else
        std::uint32_t bits = 0;
        for (std::size_t l = 0; l < kWide; ++l) bits |= static_cast<std::uint32_t>(!(value[l] < limit)) << l;
        return bits;
#endif
    }

    const Frame& frame_;
    std::size_t d_, width_;
    std::vector<float> packed_, norm_, cells_;
    const float* rows_[kRows];
    double unit_, longest_ = 0;

  public:
    std::vector<double> gain;  // Σ w of what each candidate is nearer
    double error = 0;          // of any of them
};

}  // namespace suffice
