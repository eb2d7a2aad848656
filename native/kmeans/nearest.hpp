// Finds the nearest of k centres for a block of rows, and how far away the second nearest is at least.
//
// Rows lie across the lanes of a vector, so no sum crosses lanes (for few centres and many columns it is the columns,
// which spares the transposition). With few columns the squared distances are computed as they stand, in double. With
// many, ‖c‖²/2 − x·c is computed in single precision about a common shift, which is twice as fast; an error bound tells
// which rows this cannot decide, and those are computed again in double. Both ways give the nearest centre in double
// arithmetic; of equally near centres the first.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kmeans/byte_filter.hpp"
#include "core/simd.hpp"
#include "core/squared_distance.hpp"
#include "core/transpose.hpp"

namespace suffice {

// What a scan says of the distance to the nearest centre: nothing, that it is at most so far, or the distance itself.
enum class Distance { none, bound, exact };

// Few columns: exact in double. C = float: the filter.
template <class C>
class Scanner {
    using V = typename LaneTypes<C>::V;
    using I = typename LaneTypes<C>::I;
    static constexpr bool kFilter = sizeof(C) == sizeof(float);
    static constexpr double kSlack = 1e-12;  // rounding of a squared length in double, far above what it can be
    static constexpr int kWide = sizeof(V) / sizeof(C);
    static constexpr int kVectors = 2;
    static constexpr int kCentres = kLanes == 8 ? 8 : 4;  // accumulators: kVectors * kCentres registers
    static constexpr int kWideCentres = 4;
    static constexpr std::size_t kWideRows = kLanes == 8 ? 4 : 2;

  public:
    static constexpr std::size_t kBlock = kVectors * kWide;  // rows scanned at once
    static_assert(kBlock <= ByteFilter::kRows);

    Scanner(const double* centres, const double* shift, std::size_t k, std::size_t d)
        : centres_(centres), shift_(shift), k_(k), d_(d), groups_((k + kCentres - 1) / kCentres),
          bytes_(centres, shift, kFilter ? k : 0, d), packed_(groups_ * kCentres * d), half_norm_(groups_ * kCentres, std::numeric_limits<C>::infinity()) {
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

    // What was seen of earlier rows is forgotten: stripes must not depend on each other.
    void restart() { bytes_.restart(); }

    // Few centres, long rows: turning the rows would cost more than the products.
    bool is_wide() const { return kFilter && k_ <= 32 && d_ >= 64; }

    // Rows as doubles, `count` <= kBlock of them, d apart; pointers so that rows need not be neighbours.
    template <Distance wanted>
    void scan(const double* const* rows, std::size_t count, Nearest* found) {
        if (is_wide()) return scan_wide<wanted>(rows, count, found);
        if (bytes_.is_useful()) return bytes_.scan(rows, count, found);
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
            const auto at = static_cast<std::int32_t>(label[v][l]);
            found[r] = decide<wanted>(rows[r], squared_norm_[r], best[v][l], second[v][l], at);
        }
    }

  private:
    struct Ranking {
        C best = std::numeric_limits<C>::infinity(), second = best;
        std::int32_t label = 0;

        void see(C score, std::size_t j) {
            if (score < best) {
                second = best;
                best = score;
                label = static_cast<std::int32_t>(j);
            } else {
                second = std::min(second, score);
            }
        }
    };

    template <Distance wanted>
    void scan_wide(const double* const* rows, std::size_t count, Nearest* found) {
        const std::size_t width = round_up(d_, kWide);
        columns_.resize(kWideRows * width);
        if (flat_.empty()) flatten(width);
        for (std::size_t first = 0; first < count; first += kWideRows) {
            const std::size_t some = std::min(kWideRows, count - first);
            for (std::size_t r = 0; r < some; ++r)
                squared_norm_[r] = shift_row(rows[first + r], &columns_[r * width]);
            const double* ahead[kWideRows];  // the rows that come next
            for (std::size_t r = 0; r < kWideRows; ++r) ahead[r] = rows[std::min(first + kWideRows + r, count - 1)];
            Ranking ranking[kWideRows];
            rank(width, ahead, ranking);
            for (std::size_t r = 0; r < some; ++r) {
                const Ranking& at = ranking[r];
                found[first + r] = decide<wanted>(rows[first + r], squared_norm_[r], at.best, at.second, at.label);
            }
        }
    }

    // The row less the shift, in the scanner's precision; returns its squared length.
    double shift_row(const double* __restrict row, C* __restrict out) const {
        const double* __restrict shift = shift_;
        double sum[2 * kLanes] = {};
        std::size_t i = 0;
        for (; i + 2 * kLanes <= d_; i += 2 * kLanes)
            for (int l = 0; l < 2 * kLanes; ++l) {
                const double x = row[i + l] - shift[i + l];
                out[i + l] = static_cast<C>(x);
                sum[l] += x * x;
            }
        for (; i < d_; ++i) {
            const double x = row[i] - shift[i];
            out[i] = static_cast<C>(x);
            sum[0] += x * x;
        }
        for (int l = 1; l < 2 * kLanes; ++l) sum[0] += sum[l];
        return sum[0];
    }

    // The centres as rows, padded with zeros to whole vectors.
    void flatten(std::size_t width) {
        flat_.assign(k_ * width, C(0));
        for (std::size_t j = 0; j < k_; ++j)
            for (std::size_t i = 0; i < d_; ++i)
                flat_[j * width + i] = static_cast<C>(centres_[j * d_ + i] - shift_[i]);
    }

    // Ranks the centres for the rows in `columns_`. Meanwhile the rows ahead arrive, spread over the groups of centres:
    // all at once they would queue up.
    void rank(std::size_t width, const double* const* ahead, Ranking* ranking) const {
        const std::size_t groups = (k_ + kWideCentres - 1) / kWideCentres;
        for (std::size_t g = 0; g < groups; ++g) {
            const Fetch fetch{ahead, g * kWideRows / groups, (g + 1) * kWideRows / groups};
            switch (std::min<std::size_t>(k_ - g * kWideCentres, kWideCentres)) {
                case 1: rank_some<1>(g * kWideCentres, width, fetch, ranking); break;
                case 2: rank_some<2>(g * kWideCentres, width, fetch, ranking); break;
                case 3: rank_some<3>(g * kWideCentres, width, fetch, ranking); break;
                default: rank_some<kWideCentres>(g * kWideCentres, width, fetch, ranking);
            }
        }
    }

    struct Fetch {
        const double* const* rows;
        std::size_t begin, end;

        void operator()(std::size_t i) const {
            for (std::size_t r = begin; r < end; ++r)
                for (int l = 0; l < kWide; l += 8) __builtin_prefetch(rows[r] + i + l, 0, 2);
        }
    };

    template <int count>
    void rank_some(std::size_t j, std::size_t width, const Fetch& fetch, Ranking* ranking) const {
        V sum[kWideRows][count] = {};
        const C* centre = &flat_[j * width];
        for (std::size_t i = 0; i < width; i += kWide) {
            fetch(i);
            V x[kWideRows];
            for (std::size_t r = 0; r < kWideRows; ++r) std::memcpy(&x[r], &columns_[r * width + i], sizeof(V));
            for (int c = 0; c < count; ++c) {
                V at;
                std::memcpy(&at, centre + static_cast<std::size_t>(c) * width + i, sizeof at);
                for (std::size_t r = 0; r < kWideRows; ++r) sum[r][c] += x[r] * at;
            }
        }
        for (std::size_t r = 0; r < kWideRows; ++r)
            for (int c = 0; c < count; ++c) {
                const std::size_t at = j + static_cast<std::size_t>(c);
                ranking[r].see(half_norm_[at] - sum_lanes(sum[r][c]), at);
            }
    }

    void pack(const double* const* rows, std::size_t count) {
        columns_.resize(d_ * kBlock);
        for (std::size_t first = 0; first < kBlock; first += kLanes) {
            const double* at[kLanes];
            for (std::size_t l = 0; l < kLanes; ++l) at[l] = rows[first + l < count ? first + l : 0];
            Vec norm{};
            std::size_t i = 0;
            for (; i + kLanes <= d_; i += kLanes) {
                const Vec shift = kFilter ? load(shift_ + i) : Vec{};
                Vec square[kLanes];
                for (int l = 0; l < kLanes; ++l) square[l] = load(at[l] + i) - shift;
                turn(square);
                for (std::size_t c = 0; c < kLanes; ++c) put(square[c], i + c, first, norm);
            }
            for (; i < d_; ++i) {
                Vec cells;
                for (int l = 0; l < kLanes; ++l) cells[l] = at[l][i];
                put(kFilter ? cells - shift_[i] : cells, i, first, norm);
            }
            store(squared_norm_ + first, norm);
        }
    }

    // Column i of some rows.
    void put(const Vec& cells, std::size_t i, std::size_t first, Vec& norm) {
        typedef C Cells __attribute__((vector_size(kLanes * sizeof(C))));
        const Cells packed = __builtin_convertvector(cells, Cells);
        std::memcpy(&columns_[i * kBlock + first], &packed, sizeof packed);
        norm += cells * cells;
    }

    void scan_group(std::size_t g, V* best, V* second, I* label) const {
        V sum[kCentres][kVectors];
        for (int c = 0; c < kCentres; ++c)
            for (int v = 0; v < kVectors; ++v) sum[c][v] = half_norm_[g * kCentres + c] - V{};
        const C* centre = &packed_[g * kCentres * d_];
        const C* column = columns_.data();
        for (std::size_t i = 0; i < d_; ++i, centre += kCentres, column += kBlock) {
            V x[kVectors];
            std::memcpy(x, column, sizeof x);
            for (int c = 0; c < kCentres; ++c) {
                const V at = centre[c] - V{};
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

    template <Distance wanted>
    Nearest decide(const double* row, double squared_norm, double best, double second, std::int32_t label) const {
        if constexpr (!kFilter) return {label, best, second};
        // Rounding of a product of d terms, of the terms themselves, and of the half norm.
        const double unit = 6e-8 * static_cast<double>(d_ + 4);
        const double norm = std::sqrt(squared_norm);
        const double error = unit * (norm * longest_ + longest_ * longest_ / 2) + undecided(squared_norm);
        const double gap = second - best - 2 * error;
        if (!(gap > 0) || !(norm + longest_ < kFarthest)) return nearest_of_all(row, centres_, k_, d_);
        if constexpr (wanted == Distance::none) return {label, 0, 0};
        if constexpr (wanted == Distance::bound) {
            const double most = squared_norm * (1 + kSlack) + 2 * (best + error);
            const double least = squared_norm * (1 - kSlack) + 2 * (second - error);
            return {label, std::max(most, 0.0), std::max(least, 0.0)};
        }
        const double squared = squared_distance(row, centres_ + static_cast<std::size_t>(label) * d_, d_);
        return {label, squared, squared + 2 * gap};
    }

    const double* centres_;
    const double* shift_;
    std::size_t k_, d_, groups_;
    ByteFilter bytes_;
    std::vector<C> packed_, half_norm_, columns_, flat_;
    double squared_norm_[kBlock] = {};
    double longest_ = 0;
};

// Whether the filter is to be used: with few columns the exact form costs no more, and single precision must hold the
// squares of the spread of the centres about the shift.
inline bool is_for_filter(const double* centres, const double* shift, std::size_t k, std::size_t d) {
    constexpr std::size_t kFewColumns = 6;
    if (d < kFewColumns) return false;
    double spread = 0;
    for (std::size_t j = 0; j < k; ++j)
        for (std::size_t i = 0; i < d; ++i) {
            const double size = std::abs(centres[j * d + i] - shift[i]);
            if (!(size < 1e12)) return false;
            spread = std::max(spread, size);
        }
    return spread == 0 || spread > 1e-12;
}

}  // namespace suffice
