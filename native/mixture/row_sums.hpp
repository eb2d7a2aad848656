// Rows shared out among Gaussians of independent columns and added up row by row: the lanes of a vector are columns, and
// a row costs nothing for the components it has no share of.
#pragma once

#include <bit>

#include "core/lane_bits.hpp"
#include "mixture/wide.hpp"

namespace suffice {

template <class Block>
struct RowSums : Shares<Block> {
    const WideGaussians& w;
    std::vector<double> weight, first, second, missing;  // (k), then (k, width)
    std::vector<std::size_t> rows;                       // of the block, those with a share

    explicit RowSums(const WideGaussians& wide)
        : Shares<Block>(wide.g, Block(wide)), w(wide), weight(wide.g.count), first(wide.g.count * w.width),
          second(wide.g.count * w.width), rows(kWideHeight) {}

    void clear() {
        for (auto* sums : {&weight, &first, &second, &missing}) std::fill(sums->begin(), sums->end(), 0.0);
        this->log_likelihood = 0;
    }

    // Finds the rows with a share of a component.
    void find_rows(std::size_t c) {
        const double* share = &this->share[c * this->block.ld];
        rows.resize(this->block.count);
        std::size_t found = 0;
        for (std::size_t b = 0; b < this->block.count; b += kLanes) {
            const std::size_t left = std::min<std::size_t>(kLanes, this->block.count - b);
            std::uint32_t with = ~at_most(load(share + b), Vec{}) & ((1u << left) - 1);
            if (with == (1u << kLanes) - 1) {
                for (std::size_t l = 0; l < kLanes; ++l) rows[found + l] = b + l;
                found += kLanes;
                continue;
            }
            for (; with; with &= with - 1) rows[found++] = b + static_cast<std::size_t>(std::countr_zero(with));
        }
        rows.resize(found);
    }
};

inline constexpr std::size_t kMostVectors = kLanes == 8 ? 8 : 4;  // of columns, summed in registers

// Moments about the mean of a component, of `kVectors` vectors of columns and the rows with a share.
template <bool gaps, std::size_t kVectors, class Sums>
void add_moments(Sums& s, std::size_t c, std::size_t j) {
    const double* share = &s.share[c * s.block.ld];
    const std::size_t at = c * s.w.width + s.block.tile.first + j;
    constexpr std::size_t kRowsAtOnce = kVectors < 3 ? 2 : 1;  // enough sums that none waits for another
    Vec mean[kVectors], first[kRowsAtOnce][kVectors] = {}, second[kRowsAtOnce][kVectors] = {}, missing[kVectors] = {};
    for (std::size_t v = 0; v < kVectors; ++v) mean[v] = load(&s.w.mean[at + v * kLanes]);
    for (std::size_t i = 0; i < s.rows.size(); i += kRowsAtOnce)
        for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
            const bool there = i + r < s.rows.size();
            const std::size_t b = s.rows[there ? i + r : i];
            const double* x = s.block.tile.x + b * s.block.tile.stride + j;
            const double own = there ? share[b] : 0.0;
            for (std::size_t v = 0; v < kVectors; ++v) {
                Vec step = load(x + v * kLanes) - mean[v];
                if constexpr (gaps) {
                    missing[v] += step == step ? Vec{} : broadcast(own);
                    step = step == step ? step : Vec{};
                }
                const Vec value = own * step;
                first[r][v] += value;
                second[r][v] += value * step;
            }
        }
    for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t to = at + v * kLanes;
        for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
            store(&s.first[to], load(&s.first[to]) + first[r][v]);
            store(&s.second[to], load(&s.second[to]) + second[r][v]);
        }
        if constexpr (gaps) store(&s.missing[to], load(&s.missing[to]) + missing[v]);
    }
}

// The same of `vectors` vectors, at most kVectors.
template <bool gaps, std::size_t kVectors, class Sums>
void add_last_moments(Sums& s, std::size_t c, std::size_t j, std::size_t vectors) {
    if constexpr (kVectors > 0) {
        if (vectors == kVectors)
            add_moments<gaps, kVectors>(s, c, j);
        else
            add_last_moments<gaps, kVectors - 1>(s, c, j, vectors);
    }
}

template <bool gaps, class Sums>
void add_tile(Sums& s, std::size_t c) {
    constexpr std::size_t most = gaps ? kMostVectors / 2 : kMostVectors;
    for (std::size_t j = 0; j < s.block.tile.columns; j += most * kLanes)
        add_last_moments<gaps, most>(s, c, j, std::min(most, (s.block.tile.columns - j) / kLanes));
}

// Adds the rows of a block, whose shares are known.
template <class T, class Sums>
void add_rows(Sums& s, const View<T>& x, std::size_t first) {
    for (const std::size_t c : s.g.active) {
        Vec total = {};
        for (std::size_t b = 0; b < s.block.height; b += kLanes) total += load(&s.share[c * s.block.ld + b]);
        s.weight[c] += sum_lanes(total);
    }
    for (std::size_t j = 0; j < x.cols; j += kTileColumns) {
        if (x.cols > kTileColumns) s.block.tile.read(x, first, s.block.count, j);
        const bool gaps = !s.block.finite[j / kTileColumns];
        if (gaps) s.missing.resize(s.first.size());
        for (const std::size_t c : s.g.active) {
            s.find_rows(c);
            if (s.rows.empty()) continue;
            if (gaps)
                add_tile<true>(s, c);
            else
                add_tile<false>(s, c);
        }
    }
}

template <class Sums>
void merge_rows(const Sums& s, const Results& out) {
    const std::size_t d = s.g.columns, width = s.w.width;
    for (std::size_t c = 0; c < s.g.count; ++c) {
        out.weight[c] += s.weight[c];
        for (std::size_t j = 0; j < d; ++j) {
            out.first[c * d + j] += s.first[c * width + j];
            out.second[c * d + j] += s.second[c * width + j];
        }
        for (std::size_t j = 0; j < d && !s.missing.empty(); ++j) out.cells[c * d + j] += s.missing[c * width + j];
    }
    *out.log_likelihood += s.log_likelihood;
}

template <class Block, class T>
void row_sums(const View<T>& x, const double* row_weight, const Gaussians& g, const Rule& rule, const Runtime& runtime,
              const Results& out) {
    using Sums = RowSums<Block>;
    const WideGaussians w(g);
    const Stripes stripes(x.rows, 2 * kWideHeight);
    auto work = [&](std::size_t k, Sums& s) {
        s.clear();
        double weight[kWideHeight];
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kWideHeight) {
            const std::size_t n = std::min(kWideHeight, stripes.end(k) - first);
            for (std::size_t b = 0; b < kWideHeight; ++b)
                weight[b] = b >= n ? 0.0 : row_weight ? row_weight[first + b] : 1.0;
            s.block.evaluate(x, first, n, w);
            share_rows(s, rule, weight, first);
            add_rows(s, x, first);
        }
    };
    const double operations = 7.0 * static_cast<double>(x.rows) * static_cast<double>(g.count * g.columns);
    reduce_stripes(
        stripes.count(), operations, runtime, [&] { return Sums(w); }, work,
        [&](std::size_t, const Sums& sums) { merge_rows(sums, out); });
}

}  // namespace suffice
