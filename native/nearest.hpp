// Finds the nearest of k centres for a block of rows, and how far away the second nearest is at least.
//
// Rows lie across the lanes of a vector, so no sum crosses lanes (for few centres and many columns it is the columns,
// which spares the transposition). With few columns the squared distances are
// computed as they stand, in double. With many, ‖c‖²/2 − x·c is computed in single precision about a common shift,
// which is twice as fast; an error bound tells which rows this cannot decide, and those are computed again in
// double. Both ways give the nearest centre in double arithmetic; of equally near centres the first.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "simd.hpp"

namespace suffice {

inline double squared_distance(const double* a, const double* b, std::size_t d) {
    double total = 0;
    std::size_t j = 0;
    if (d >= static_cast<std::size_t>(kLanes)) {
        Vec sum[4] = {};  // side by side, so that no addition waits for the one before
        for (; j + 4 * kLanes <= d; j += 4 * kLanes)
            for (int u = 0; u < 4; ++u) {
                const Vec delta = load(a + j + u * kLanes) - load(b + j + u * kLanes);
                sum[u] += delta * delta;
            }
        for (; j + kLanes <= d; j += kLanes) {
            const Vec delta = load(a + j) - load(b + j);
            sum[0] += delta * delta;
        }
        total = sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    for (; j < d; ++j) total += (a[j] - b[j]) * (a[j] - b[j]);
    return total;
}

struct Nearest {
    std::int32_t label;
    double squared;         // to the nearest centre
    double second_squared;  // at most that to any other centre
};

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

// Few columns: exact in double. C = float: the filter.
template <class C>
class Scanner {
    using V = typename LaneTypes<C>::V;
    using I = typename LaneTypes<C>::I;
    static constexpr bool kFilter = sizeof(C) == sizeof(float);
    static constexpr int kWide = sizeof(V) / sizeof(C);
    static constexpr int kVectors = 2;
    static constexpr int kCentres = kLanes == 8 ? 8 : 4;  // accumulators: kVectors * kCentres registers

  public:
    static constexpr std::size_t kBlock = kVectors * kWide;  // rows scanned at once

    Scanner(const double* centres, const double* shift, std::size_t k, std::size_t d)
        : centres_(centres), shift_(shift), k_(k), d_(d), groups_((k + kCentres - 1) / kCentres),
          packed_(groups_ * kCentres * d), half_norm_(groups_ * kCentres, std::numeric_limits<C>::infinity()) {
        for (std::size_t j = 0; j < k; ++j) {
            double norm = 0;
            for (std::size_t i = 0; i < d; ++i) {
                const double c = centres[j * d + i] - (kFilter ? shift[i] : 0);
                packed_[(j / kCentres * d + i) * kCentres + j % kCentres] = static_cast<C>(c);
                norm += c * c;
            }
            half_norm_[j] = kFilter ? static_cast<C>(norm / 2) : C(0);
            longest_ = std::max(longest_, std::sqrt(norm));
        }
    }

    // Few centres, long rows: turning the rows would cost more than the products.
    bool is_wide() const { return kFilter && k_ <= 32 && d_ >= 64; }

    // Rows as doubles, `count` <= kBlock of them, d apart; pointers so that rows need not be neighbours.
    void scan(const double* const* rows, std::size_t count, Nearest* found) {
        if (is_wide()) return scan_wide(rows, count, found);
        pack(rows, count);
        V best[kVectors], second[kVectors];
        I label[kVectors];
        for (int v = 0; v < kVectors; ++v) {
            best[v] = second[v] = V{} + std::numeric_limits<C>::infinity();
            label[v] = I{};
        }
        for (std::size_t g = 0; g < groups_; ++g) scan_group(g, best, second, label);
        for (std::size_t r = 0; r < count; ++r) {
            const int v = static_cast<int>(r) / kWide, l = static_cast<int>(r) % kWide;
            found[r] = decide(rows[r], r, best[v][l], second[v][l], static_cast<std::int32_t>(label[v][l]));
        }
    }

  private:
    void scan_wide(const double* const* rows, std::size_t count, Nearest* found) {
        const std::size_t width = round_up(d_, kWide);
        columns_.resize(width);
        if (flat_.empty()) flatten(width);
        for (std::size_t r = 0; r < count; ++r) {
            shift_row(rows[r], columns_.data(), rows[r + 1 < count ? r + 1 : r]);
            norm_[0] = std::sqrt(squared_norm());
            C best = std::numeric_limits<C>::infinity(), second = best;
            std::int32_t label = 0;
            for (std::size_t j = 0; j < k_; j += 4) {
                C score[4];
                score_wide(j, width, score);
                for (std::size_t c = 0; c < 4 && j + c < k_; ++c) {
                    if (score[c] < best) {
                        second = best;
                        best = score[c];
                        label = static_cast<std::int32_t>(j + c);
                    } else {
                        second = std::min(second, score[c]);
                    }
                }
            }
            found[r] = decide(rows[r], 0, best, second, label);
        }
    }

    // Reads the next row ahead, so that it arrives while this one is worked on.
    void shift_row(const double* __restrict row, C* __restrict out, const double* next) const {
        const double* __restrict shift = shift_;
        std::size_t i = 0;
        for (; i + 8 <= d_; i += 8) {
            __builtin_prefetch(next + i);
            for (std::size_t l = 0; l < 8; ++l) out[i + l] = static_cast<C>(row[i + l] - shift[i + l]);
        }
        for (; i < d_; ++i) out[i] = static_cast<C>(row[i] - shift[i]);
    }

    // Of the row in `columns_`, summed in lanes.
    double squared_norm() const {
        V sum[2] = {};
        for (std::size_t i = 0; i + kWide <= columns_.size(); i += kWide) {
            V x;
            std::memcpy(&x, &columns_[i], sizeof x);
            sum[i / kWide % 2] += x * x;
        }
        return static_cast<double>(sum_lanes(sum[0] + sum[1])) * (1 + 1e-7 * static_cast<double>(d_));
    }

    // The centres as rows, padded with zeros to whole vectors and to a multiple of four.
    void flatten(std::size_t width) {
        flat_.assign(round_up(k_, 4) * width, C(0));
        for (std::size_t j = 0; j < k_; ++j)
            for (std::size_t i = 0; i < d_; ++i) flat_[j * width + i] = static_cast<C>(centres_[j * d_ + i] - shift_[i]);
    }

    void score_wide(std::size_t j, std::size_t width, C* score) const {
        V sum[4] = {};
        for (std::size_t i = 0; i < width; i += kWide) {
            V x;
            std::memcpy(&x, &columns_[i], sizeof x);
            for (int c = 0; c < 4; ++c) {
                V at;
                std::memcpy(&at, &flat_[(j + static_cast<std::size_t>(c)) * width + i], sizeof at);
                sum[c] += x * at;
            }
        }
        for (int c = 0; c < 4; ++c) {
            const std::size_t at = j + static_cast<std::size_t>(c);
            score[c] = at < k_ ? half_norm_[at] - sum_lanes(sum[c]) : C(0);
        }
    }

    void pack(const double* const* rows, std::size_t count) {
        columns_.resize(d_ * kBlock);
        for (std::size_t r = 0; r < kBlock; ++r) {
            const double* row = rows[r < count ? r : 0];
            double norm = 0;
            for (std::size_t i = 0; i < d_; ++i) {
                const double x = kFilter ? row[i] - shift_[i] : row[i];
                columns_[i * kBlock + r] = static_cast<C>(x);
                if constexpr (kFilter) norm += x * x;
            }
            norm_[r] = std::sqrt(norm);
        }
    }

    void scan_group(std::size_t g, V* best, V* second, I* label) const {
        V sum[kCentres][kVectors];
        for (int c = 0; c < kCentres; ++c)
            for (int v = 0; v < kVectors; ++v) sum[c][v] = V{} + half_norm_[g * kCentres + c];
        const C* centre = &packed_[g * kCentres * d_];
        const C* column = columns_.data();
        for (std::size_t i = 0; i < d_; ++i, centre += kCentres, column += kBlock) {
            V x[kVectors];
            std::memcpy(x, column, sizeof x);
            for (int c = 0; c < kCentres; ++c) {
                const V at = V{} + centre[c];
                for (int v = 0; v < kVectors; ++v) {
                    if constexpr (kFilter) {
                        sum[c][v] -= x[v] * at;
                    } else {
                        const V delta = x[v] - at;
                        sum[c][v] += delta * delta;
                    }
                }
            }
        }
        for (int c = 0; c < kCentres; ++c) {
            const auto j = static_cast<std::int32_t>(g * kCentres) + c;
            for (int v = 0; v < kVectors; ++v) {
                const I nearer = sum[c][v] < best[v];
                const V other = nearer ? best[v] : sum[c][v];
                second[v] = other < second[v] ? other : second[v];
                label[v] = nearer ? I{} + j : label[v];
                best[v] = nearer ? sum[c][v] : best[v];
            }
        }
    }

    Nearest decide(const double* row, std::size_t r, double best, double second, std::int32_t label) const {
        if constexpr (!kFilter) return {label, best, second};
        // Rounding of a product of d terms, of the terms themselves, and of the half norm.
        const double unit = 6e-8 * static_cast<double>(d_ + 4);
        const double error = unit * (norm_[r] * longest_ + longest_ * longest_ / 2);
        const double squared = squared_distance(row, centres_ + static_cast<std::size_t>(label) * d_, d_);
        const double gap = second - best - 2 * error;
        if (gap > 0) return {label, squared, squared + 2 * gap};
        return scan_exactly(row);
    }

    Nearest scan_exactly(const double* row) const {
        Nearest found{0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
        for (std::size_t j = 0; j < k_; ++j) {
            const double squared = squared_distance(row, centres_ + j * d_, d_);
            if (squared < found.squared) {
                found.second_squared = found.squared;
                found.squared = squared;
                found.label = static_cast<std::int32_t>(j);
            } else {
                found.second_squared = std::min(found.second_squared, squared);
            }
        }
        return found;
    }

    const double* centres_;
    const double* shift_;
    std::size_t k_, d_, groups_;
    std::vector<C> packed_, half_norm_, columns_, flat_;
    double norm_[kBlock] = {};
    double longest_ = 0;
};

// Below this many columns the exact form costs no more than the filter and its decisions.
inline constexpr std::size_t kFewColumns = 6;

}  // namespace suffice
