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
#include "core/view.hpp"
#include "kmeans/wide_products.hpp"

namespace suffice {

// The fewest rows of a stripe, at most `most`: of long rows fewer are worth a thread.
inline std::size_t least_rows(std::size_t d, std::size_t most) {
    return std::clamp<std::size_t>((std::size_t{1} << 18) / std::max<std::size_t>(d, 1), 32, most);
}

// The cells of the scratch that `rows_as_double` needs for some rows: none where the rows have that form.
template <class T>
std::size_t scratch_cells(const View<T>& x, std::size_t rows) {
    return rows_as_double(x, 0, 0, nullptr) ? 0 : rows * x.cols;
}

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

  public:
    static constexpr std::size_t kBlock = kVectors * kWide;  // rows scanned at once
    static_assert(kBlock <= ByteFilter::kRows);

    Scanner(const double* centres, const double* shift, std::size_t k, std::size_t d)
        : centres_(centres), shift_(shift), k_(k), d_(d), groups_((k + kCentres - 1) / kCentres),
          wide_(centres, shift, is_wide() ? k : 0, d), bytes_(centres, shift, kFilter && !is_wide() ? k : 0, d),
          packed_(is_wide() ? 0 : groups_ * kCentres * d), half_norm_(groups_ * kCentres, std::numeric_limits<C>::infinity()) {
        for (std::size_t j = 0; j < k; ++j) {
            if (!is_wide()) pack_centre(j);
            const double norm = kFilter ? squared_distance(centres + j * d, shift, d) : 0;
            half_norm_[j] = static_cast<C>(norm / 2);
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
            found[r] = decide<wanted>(rows[r], squared_norm_[r], best[v][l], second[v][l], at,
                                      static_cast<double>(d_ + 4));
        }
    }

  private:
    void pack_centre(std::size_t j) {
        C* out = &packed_[j / kCentres * kCentres * d_ + j % kCentres];
        for (std::size_t i = 0; i < d_; ++i)
            out[i * kCentres] = static_cast<C>(centres_[j * d_ + i] - (kFilter ? shift_[i] : 0));
    }

    template <Distance wanted>
    void scan_wide(const double* const* rows, std::size_t count, Nearest* found) {
        wide_.find(rows, count);
        for (std::size_t r = 0; r < count; ++r) {
            const double* product = wide_.row(r);
            Nearest ranked = nearest_unseen();  // of scores, not distances
            for (std::size_t j = 0; j < k_; ++j) ranked.see(half_norm_[j] - product[j], j);
            found[r] = decide<wanted>(rows[r], wide_.squared_length(r), ranked.squared, ranked.second_squared,
                                      ranked.label, wide_.roundings());
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

    // `roundings` of a product in single precision, and of the half norm.
    template <Distance wanted>
    Nearest decide(const double* row, double squared_norm, double best, double second, std::int32_t label,
                   double roundings) const {
        if constexpr (!kFilter) return {label, best, second};
        const double unit = 6e-8 * roundings;
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
    WideProducts wide_;
    ByteFilter bytes_;
    std::vector<C> packed_, half_norm_, columns_;
    double squared_norm_[kBlock] = {};
    double longest_ = 0;
};

// Whether the filter is to be used: with few columns the exact form costs no more, and single precision must hold the
// squares of the spread of the centres about the shift.
inline bool is_for_filter(const double* centres, const double* shift, std::size_t k, std::size_t d) {
    constexpr std::size_t kFewColumns = 6;
    if (d < kFewColumns) return false;
    constexpr double kOdd = std::numeric_limits<double>::infinity();
    Vec spread{};
    double most = 0;
    for (std::size_t j = 0; j < k; ++j) {
        const double* centre = centres + j * d;
        std::size_t i = 0;
        for (; i + kLanes <= d; i += kLanes) {
            const Vec delta = load(centre + i) - load(shift + i);
            const Vec size = delta < 0 ? -delta : delta, plain = size < 1e12 ? size : broadcast(kOdd);
            spread = plain > spread ? plain : spread;
        }
        for (; i < d; ++i) {
            const double size = std::abs(centre[i] - shift[i]);
            most = std::max(most, size < 1e12 ? size : kOdd);
        }
    }
    for (int l = 0; l < kLanes; ++l) most = std::max(most, spread[l]);
    return most == 0 || (most > 1e-12 && most < kOdd);
}

}  // namespace suffice
