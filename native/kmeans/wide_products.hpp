// Products of long rows with few centres, both about a shift: columns lie across the lanes, which spares turning the rows.
//
// Columns are taken in panels, whose part of the centres stays in the cache for all rows at hand. Within a panel sums are
// kept in single precision, across panels in double: the error does not grow with the number of columns.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "core/simd.hpp"

namespace suffice {

class WideProducts {
    using V = LaneTypes<float>::V;
    static constexpr std::size_t kWide = sizeof(V) / sizeof(float);
    static constexpr std::size_t kPanel = 1024;
    static constexpr std::size_t kCentres = 4, kRows = kLanes == 8 ? 4 : 2;  // whose sums are in registers

  public:
    WideProducts(const double* centres, const double* shift, std::size_t k, std::size_t d)
        : shift_(shift), k_(k), d_(d), panels_((d + kPanel - 1) / kPanel) {
        auto packed = std::make_shared<std::vector<float>>(k * round_up(d, kWide));
        for (std::size_t p = 0; p < panels_; ++p) {
            const std::size_t begin = p * kPanel, width = width_of(p);
            for (std::size_t j = 0; j < k; ++j) {
                float* out = packed->data() + begin * k + j * round_up(width, kWide);
                for (std::size_t i = 0; i < width; ++i)
                    out[i] = static_cast<float>(centres[j * d + begin + i] - shift[begin + i]);
            }
        }
        packed_ = std::move(packed);
    }

    // How many roundings a product has: of its factors, along a lane, across lanes, and some for safety.
    double roundings() const {
        return static_cast<double>(round_up(std::min(d_, kPanel), kWide) / kWide + 2 + kWide + 4);
    }

    // The products and squared lengths of some rows, which `row` and `squared_length` then give.
    void find(const double* const* rows, std::size_t count) {
        columns_.resize(kRows * std::min(kPanel, round_up(d_, kWide)));
        products_.assign(round_up(count, kRows) * k_, 0.0);
        squared_.assign(count, 0.0);
        for (std::size_t p = 0; p < panels_; ++p)
            for (std::size_t first = 0; first < count; first += kRows) {
                const std::size_t width = round_up(width_of(p), kWide);
                for (std::size_t r = 0; r < std::min(kRows, count - first); ++r)
                    squared_[first + r] += about_shift(rows[first + r], p, &columns_[r * width]);
                Ahead ahead{rows, count, first + kRows, p * kPanel};
                if (ahead.first >= count && p + 1 < panels_) ahead = {rows, count, 0, (p + 1) * kPanel};
                multiply(p, width, ahead, &products_[first * k_]);
            }
    }

    const double* row(std::size_t r) const { return &products_[r * k_]; }
    double squared_length(std::size_t r) const { return squared_[r]; }

  private:
    // The cells that come next.
    struct Ahead {
        const double* const* rows;
        std::size_t count, first, column;
    };

    std::size_t width_of(std::size_t p) const { return std::min(kPanel, d_ - p * kPanel); }

    // A part of a row less the shift; returns its squared length.
    double about_shift(const double* __restrict row, std::size_t p, float* __restrict out) const {
        const std::size_t width = width_of(p);
        const double* __restrict shift = shift_ + p * kPanel;
        row += p * kPanel;
        double sum[2 * kLanes] = {};
        std::size_t i = 0;
        for (; i + 2 * kLanes <= width; i += 2 * kLanes)
            for (int l = 0; l < 2 * kLanes; ++l) {
                const double x = row[i + l] - shift[i + l];
                out[i + l] = static_cast<float>(x);
                sum[l] += x * x;
            }
        for (; i < width; ++i) {
            const double x = row[i] - shift[i];
            out[i] = static_cast<float>(x);
            sum[0] += x * x;
        }
        std::fill(out + width, out + round_up(width, kWide), 0.0f);
        for (int l = 1; l < 2 * kLanes; ++l) sum[0] += sum[l];
        return sum[0];
    }

    // Adds the products of the rows in `columns_` to `out` (kRows, k). Meanwhile the cells ahead arrive, spread over the
    // groups of centres: all at once they would queue up.
    void multiply(std::size_t p, std::size_t width, const Ahead& ahead, double* out) const {
        const std::size_t groups = (k_ + kCentres - 1) / kCentres;
        const float* centres = packed_->data() + p * kPanel * k_;
        for (std::size_t g = 0; g < groups; ++g) {
            const std::size_t j = g * kCentres;
            const Fetch fetch(ahead, g * kRows / groups, (g + 1) * kRows / groups);
            switch (std::min(k_ - j, kCentres)) {
                case 1: multiply_some<1>(centres + j * width, width, fetch, out + j); break;
                case 2: multiply_some<2>(centres + j * width, width, fetch, out + j); break;
                case 3: multiply_some<3>(centres + j * width, width, fetch, out + j); break;
                default: multiply_some<kCentres>(centres + j * width, width, fetch, out + j);
            }
        }
    }

    struct Fetch {
        const double* cells[kRows];
        std::size_t count = 0;

        Fetch(const Ahead& ahead, std::size_t begin, std::size_t end) {
            for (std::size_t r = ahead.first + begin; r < std::min(ahead.first + end, ahead.count); ++r)
                cells[count++] = ahead.rows[r] + ahead.column;
        }

        void operator()(std::size_t i) const {
            for (std::size_t r = 0; r < count; ++r)
                for (std::size_t l = 0; l < kWide; l += 8) __builtin_prefetch(cells[r] + i + l, 0, 2);
        }
    };

    template <std::size_t count>
    void multiply_some(const float* centre, std::size_t width, const Fetch& fetch, double* out) const {
        V sum[kRows][count] = {};
        for (std::size_t i = 0; i < width; i += kWide) {
            fetch(i);
            V x[kRows];
            for (std::size_t r = 0; r < kRows; ++r) std::memcpy(&x[r], &columns_[r * width + i], sizeof(V));
            for (std::size_t c = 0; c < count; ++c) {
                V at;
                std::memcpy(&at, centre + c * width + i, sizeof at);
                for (std::size_t r = 0; r < kRows; ++r) sum[r][c] += x[r] * at;
            }
        }
        for (std::size_t r = 0; r < kRows; ++r)
            for (std::size_t c = 0; c < count; ++c) out[r * k_ + c] += static_cast<double>(sum_lanes(sum[r][c]));
    }

    const double* shift_;
    std::size_t k_, d_, panels_;
    std::shared_ptr<const std::vector<float>> packed_;  // (panels, k, columns): the centres, padded to whole vectors
    std::vector<float> columns_;                        // (kRows, columns of a panel)
    std::vector<double> products_, squared_;
};

}  // namespace suffice
