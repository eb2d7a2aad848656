// The rows of panels as bytes, and the scan of queries that are bytes too; see bytes.hpp for what can be said from them.
#pragma once

#include <vector>

#include "core/bytes.hpp"
#include "core/lane_bits.hpp"
#include "neighbors/panels.hpp"
#include "core/parallel.hpp"
#include "core/view.hpp"

namespace suffice {

class BytePanels;

// Queries about the shift, scaled, as bytes: (tiles, quads, kTile, 4), plus 128.
struct ByteQueries {
    static constexpr std::size_t kTile = 12;

    std::vector<std::uint8_t> cells;
    std::vector<float> step, error, rounding;
    std::size_t quads;
    std::vector<double> about;  // a query in whole vectors

    ByteQueries(std::size_t most, std::size_t d)
        : cells(round_up(most, kTile) * ((d + 3) / 4) * 4), step(round_up(most, kTile)), error(round_up(most, kTile)),
          rounding(round_up(most, kTile)), quads((d + 3) / 4), about(round_up(d, 8)) {}

    void load(const View<double>& x, std::size_t first, std::size_t count, const Panels& y, const BytePanels& rows);

    const std::uint8_t* tile(std::size_t i) const { return cells.data() + i * quads * 4; }
};

class BytePanels {
    using V = LaneTypes<float>::V;
    static constexpr std::size_t kNarrowest = 64;  // columns: below, deciding costs what is saved
    static constexpr std::size_t kWidest = 60000;  // above, the sum of products could overflow

  public:
    double longest = 0, ratio = 0;  // of the rows: the largest ‖c‖ and ‖e_c‖/‖c‖

    // Nothing is packed unless it pays.
    BytePanels(const Panels& y, bool pays, const Runtime& runtime)
        : quads_((y.d + 3) / 4), is_on_(pays && has_byte_products() && y.d >= kNarrowest && y.d <= kWidest) {
        if (!is_on_) return;
        const std::size_t n = y.count * kPanelRows;
        cells_.resize(n * quads_ * 4);
        start_.resize(n);
        step_.resize(n);
        length_.resize(n);
        struct Most {
            double longest = 0, ratio = 0;
            std::vector<double> about;
        };
        const Stripes stripes(y.count, 8);
        reduce_stripes(
            stripes.count(), static_cast<double>(n * y.d), runtime,
            [&] { return Most{0, 0, std::vector<double>(round_up(y.d, 8))}; },
            [&](std::size_t s, Most& own) {
                for (std::size_t i = stripes.begin(s) * kPanelRows; i < stripes.end(s) * kPanelRows; ++i) {
                    const Bytes row = put(y, i / kPanelRows, i % kPanelRows, own.about);
                    own.longest = std::max(own.longest, row.length);
                    own.ratio = std::max(own.ratio, row.ratio());
                }
            },
            [&](std::size_t, Most& own) {
                longest = std::max(longest, own.longest);
                ratio = std::max(ratio, own.ratio);
            });
        is_on_ = std::isfinite(longest + ratio);
    }

    bool is_useful() const { return is_on_; }

    // Offers the rows of a panel to a tile of queries, from number i on.
    void scan(const Panels& y, std::size_t p, const ByteQueries& queries, std::size_t i, Candidates* candidates) const;

  private:
    Bytes put(const Panels& y, std::size_t p, std::size_t c, std::vector<double>& about) {
        for (std::size_t j = 0; j < y.d; ++j) about[j] = static_cast<double>(y.cells[(p * y.d + j) * kPanelRows + c]);
        std::int8_t* out = &cells_[(p * quads_ * kPanelRows + c) * 4];
        const Bytes row = to_bytes(about.data(), about.size(), quads_, out, kPanelRows * 4, 0);
        const std::size_t at = p * kPanelRows + c;
        start_[at] = -128 * row.sum;
        step_[at] = static_cast<float>(row.step);
        length_[at] = static_cast<float>(row.length * kUp);
        return row;
    }

    std::size_t quads_;
    bool is_on_;
    std::vector<std::int8_t> cells_;   // (panels, quads, kPanelRows, 4)
    std::vector<std::int32_t> start_;  // takes the 128 of the queries away
    std::vector<float> step_, length_;
};

inline void ByteQueries::load(const View<double>& x, std::size_t first, std::size_t count, const Panels& y,
                              const BytePanels& rows) {
    for (std::size_t i = 0; i < round_up(count, kTile); ++i) {
        for (std::size_t j = 0; j < y.d; ++j) about[j] = i < count ? (x.at(first + i, j) - y.shift[j]) * y.scale : 0;
        std::uint8_t* out = cells.data() + i / kTile * kTile * quads * 4 + i % kTile * 4;
        const Bytes query = to_bytes(about.data(), about.size(), quads, out, kTile * 4, 128);
        step[i] = static_cast<float>(query.step);
        error[i] = static_cast<float>(query.error_with(rows.longest, rows.ratio));
        rounding[i] = rounding_of(y.d, static_cast<float>((query.length + rows.longest) * kUp)) + kTiny;
    }
}

#if defined(__AVX512BW__)

inline void BytePanels::scan(const Panels& y, std::size_t p, const ByteQueries& queries, std::size_t i,
                             Candidates* candidates) const {
    constexpr std::size_t kTile = ByteQueries::kTile;
    auto products = product_sums<kTile>();
    const std::size_t at = p * kPanelRows;
    for (auto& sum : products.sum) {
        sum[0] = _mm512_loadu_si512(&start_[at]);
        sum[1] = _mm512_loadu_si512(&start_[at + 16]);
    }
    products.add<true>(queries.tile(i), &cells_[at * quads_ * 4], quads_);
    for (std::size_t r = 0; r < kTile; ++r)
        for (std::size_t v = 0; v < 2; ++v) {
            V half, step, length;
            std::memcpy(&half, y.half_norm + at + 16 * v, sizeof half);
            std::memcpy(&step, &step_[at + 16 * v], sizeof step);
            std::memcpy(&length, &length_[at + 16 * v], sizeof length);
            const V score = half - queries.step[i + r] * step * __builtin_convertvector(LaneTypes<float>::I(products.sum[r][v]), V);
            const V error = queries.error[i + r] * length + queries.rounding[i + r];
            std::uint32_t bits = at_most(score - error, V{} + candidates[r].limit);
            for (; bits != 0; bits &= bits - 1) {
                const auto l = static_cast<std::size_t>(__builtin_ctz(bits));
                candidates[r].offer(score[l], error[l], static_cast<std::uint32_t>(at + 16 * v + l));
            }
        }
}

#else

inline void BytePanels::scan(const Panels&, std::size_t, const ByteQueries&, std::size_t, Candidates*) const {}

#endif

}  // namespace suffice
