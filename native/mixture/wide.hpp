// Gaussians of many independent columns: rows are read in tiles of columns, so that the lanes of a vector are columns
// and neither a row nor a component must fit the cache.
#pragma once

#include "mixture/mixture_shares.hpp"

namespace suffice {

inline constexpr std::size_t kWideHeight = 64;  // rows of a block
inline constexpr std::size_t kTileColumns = 64 * kLanes;
inline constexpr std::size_t kTileStride = kTileColumns + kLanes;  // a power of two would crowd a few sets of the cache

// Columns padded to whole vectors, with the precision 0.
struct WideGaussians {
    const Gaussians& g;
    std::size_t width;
    std::vector<double> mean, precision;  // (k, width)
    std::vector<double> common;           // (k): the precision of all columns, 0 where they differ

    explicit WideGaussians(const Gaussians& gaussians)
        : g(gaussians), width(round_up(g.columns, kLanes)), mean(g.count * width), precision(g.count * width),
          common(g.count) {
        const std::size_t d = g.columns;
        for (const std::size_t c : g.active) {
            const double* own = &g.precision[c * d];
            std::copy_n(&g.mean[c * d], d, &mean[c * width]);
            std::copy_n(own, d, &precision[c * width]);
            if (std::all_of(own, own + d, [&](double p) { return p == own[0]; })) common[c] = own[0];
        }
    }
};

// Some columns of the rows of a block: where they lie, or a copy padded with zeros to whole vectors, and with the first
// row to a whole number of vectors of rows.
struct Tile {
    std::size_t first = 0, columns = 0, stride = 0;  // columns: whole vectors
    const double* x = nullptr;

    template <class T>
    void read(const View<T>& rows, std::size_t row, std::size_t count, std::size_t column) {
        const std::size_t n = std::min(kTileColumns, rows.cols - column);
        first = column;
        columns = round_up(n, kLanes);
        if constexpr (sizeof(T) == sizeof(double)) {
            if (rows.col_stride == 1 && n == columns && count % kLanes == 0) {
                x = &rows.at(row, column);
                stride = static_cast<std::size_t>(rows.row_stride);
                return;
            }
        }
        copy(View<T>{&rows.at(row, column), count, n, rows.row_stride, rows.col_stride});
    }

    bool is_finite(std::size_t count) const {
        Vec odd = {};  // NaN if a cell is NaN or infinite
        for (std::size_t b = 0; b < count; ++b)
            for (std::size_t j = 0; j < columns; j += kLanes) odd += load(x + b * stride + j) * 0.0;
        return sum_lanes(odd) == 0;
    }

  private:
    template <class T>
    void copy(const View<T>& part) {
        copy_.resize(kWideHeight * kTileStride);
        copy_rows(part, 0, part.rows, copy_.data(), kTileStride);
        for (std::size_t b = 0; b < part.rows; ++b)
            std::fill(&copy_[b * kTileStride + part.cols], &copy_[b * kTileStride + columns], 0.0);
        for (std::size_t b = part.rows; b < round_up(part.rows, kLanes); ++b)
            std::copy_n(copy_.data(), columns, &copy_[b * kTileStride]);
        x = copy_.data();
        stride = kTileStride;
    }

    std::vector<double> copy_;
};

struct WideBlock {
    std::size_t height = kWideHeight, ld = kWideHeight, count = 0;
    std::vector<double> log_joint;  // (k, ld), -∞ for components without a weight
    Tile tile;                      // the columns looked at
    std::vector<char> finite;       // whether each tile is

    explicit WideBlock(std::size_t k) : log_joint(k * ld, -INFINITY) {}

    // The log weight plus log density of every row under every active component; −∞ where a cell is infinite.
    template <class T>
    void evaluate(const View<T>& x, std::size_t first, std::size_t n, const WideGaussians& w) {
        count = n;
        height = round_up(n, kLanes);
        infinite_.assign(height, false);
        if (!looks_ && !add_tiles(x, first, w)) looks_ = true;  // where there was one gap, there are more
        if (looks_) add_tiles(x, first, w);
        for (const std::size_t c : w.g.active)
            for (std::size_t b = 0; b < height; ++b) {
                double& joint = log_joint[c * ld + b];
                joint = infinite_[b] ? -INFINITY : w.g.constant[c] - 0.5 * joint;
            }
    }

  private:
    static constexpr std::size_t kRowsAtOnce = kLanes < 4 ? kLanes : 4;

    // Adds up the squares of all columns; false where a sum is not finite, since nobody looked for gaps.
    template <class T>
    bool add_tiles(const View<T>& x, std::size_t first, const WideGaussians& w) {
        for (const std::size_t c : w.g.active) std::fill_n(&log_joint[c * ld], height, 0.0);
        finite.clear();
        for (std::size_t j = 0; j < x.cols; j += kTileColumns) {
            tile.read(x, first, count, j);
            finite.push_back(!looks_ || tile.is_finite(count));
            if (!finite.back()) find_odd(w);
            for (std::size_t b = 0; b < height; b += kRowsAtOnce)
                for (const std::size_t c : w.g.active) add_squares(w, c, b);
        }
        return std::all_of(w.g.active.begin(), w.g.active.end(), [&](std::size_t c) {
            return std::all_of(&log_joint[c * ld], &log_joint[c * ld] + height, [](double q) { return std::isfinite(q); });
        });
    }

    void find_odd(const WideGaussians& w) {
        for (std::size_t b = 0; b < height; ++b)
            for (std::size_t j = 0; j < tile.columns; ++j)
                if (std::isinf(tile.x[b * tile.stride + j])) infinite_[b] = true;
        if (log_scale_.empty()) set_log_scale(w);
    }

    void set_log_scale(const WideGaussians& w) {
        const std::size_t d = w.g.columns;
        log_scale_.resize(w.precision.size());
        for (const std::size_t c : w.g.active)
            for (std::size_t j = 0; j < d; ++j)
                log_scale_[c * w.width + j] =
                    (kLogTwoPi - std::log(w.g.precision[c * d + j])) / (w.common[c] != 0 ? w.common[c] : 1.0);
    }

    // What the columns of the tile add to −2 log density, without the constant; a gap takes its column's out of that.
    void add_squares(const WideGaussians& w, std::size_t c, std::size_t b) {
        const bool alike = w.common[c] != 0;
        if (finite.back())
            alike ? add_rows<false, true>(w, c, b) : add_rows<false, false>(w, c, b);
        else
            alike ? add_rows<true, true>(w, c, b) : add_rows<true, false>(w, c, b);
    }

    template <bool gaps, bool alike>
    void add_rows(const WideGaussians& w, std::size_t c, std::size_t b) {
        const std::size_t at = c * w.width + tile.first;
        Vec q[kRowsAtOnce] = {};
        for (std::size_t j = 0; j < tile.columns; j += kLanes)
            for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
                Vec step = load(tile.x + (b + r) * tile.stride + j) - load(&w.mean[at + j]);
                if constexpr (gaps) {
                    q[r] -= step == step ? Vec{} : load(&log_scale_[at + j]);
                    step = step == step ? step : Vec{};
                }
                if constexpr (alike)
                    q[r] += step * step;
                else
                    q[r] += step * step * load(&w.precision[at + j]);
            }
        for (std::size_t r = 0; r < kRowsAtOnce; ++r)
            log_joint[c * ld + b + r] += (alike ? w.common[c] : 1.0) * sum_lanes(q[r]);
    }

    bool looks_ = false;  // for cells that are not finite, before the columns of a tile are added up
    std::vector<char> infinite_;
    std::vector<double> log_scale_;  // (k, width): log(2π variance), over the common precision; once there was a gap
};

struct WideSums : Shares<WideBlock> {
    const WideGaussians& w;
    std::vector<double> weight, first, second, missing;  // (k), then (k, width)
    std::vector<std::size_t> rows;                       // of the block, those with a share

    explicit WideSums(const WideGaussians& wide)
        : Shares(wide.g, WideBlock(wide.g.count)), w(wide), weight(g.count), first(g.count * w.width),
          second(g.count * w.width) {}

    void clear() {
        for (auto* sums : {&weight, &first, &second, &missing}) std::fill(sums->begin(), sums->end(), 0.0);
        log_likelihood = 0;
    }
};

// Moments about the mean of a component, of `kVectors` vectors of columns and the rows with a share.
template <bool gaps, std::size_t kVectors>
void add_moments(WideSums& s, std::size_t c, std::size_t j) {
    const double* share = &s.share[c * s.block.ld];
    const std::size_t at = c * s.w.width + s.block.tile.first + j;
    Vec mean[kVectors], first[kVectors] = {}, second[kVectors] = {}, missing[kVectors] = {};
    for (std::size_t v = 0; v < kVectors; ++v) mean[v] = load(&s.w.mean[at + v * kLanes]);
    for (const std::size_t b : s.rows) {
        const double* x = s.block.tile.x + b * s.block.tile.stride + j;
        for (std::size_t v = 0; v < kVectors; ++v) {
            Vec step = load(x + v * kLanes) - mean[v];
            if constexpr (gaps) {
                missing[v] += step == step ? Vec{} : broadcast(share[b]);
                step = step == step ? step : Vec{};
            }
            const Vec value = share[b] * step;
            first[v] += value;
            second[v] += value * step;
        }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t to = at + v * kLanes;
        store(&s.first[to], load(&s.first[to]) + first[v]);
        store(&s.second[to], load(&s.second[to]) + second[v]);
        if constexpr (gaps) store(&s.missing[to], load(&s.missing[to]) + missing[v]);
    }
}

template <bool gaps>
void add_tile(WideSums& s, std::size_t c) {
    std::size_t j = 0;
    for (; j + 4 * kLanes <= s.block.tile.columns; j += 4 * kLanes) add_moments<gaps, 4>(s, c, j);
    for (; j < s.block.tile.columns; j += kLanes) add_moments<gaps, 1>(s, c, j);
}

// Adds the rows of a block, whose shares are known.
template <class T>
void add_wide(WideSums& s, const View<T>& x, std::size_t first) {
    for (const std::size_t c : s.g.active)
        for (std::size_t b = 0; b < s.block.count; ++b) s.weight[c] += s.share[c * s.block.ld + b];
    for (std::size_t j = 0; j < x.cols; j += kTileColumns) {
        if (x.cols > kTileColumns) s.block.tile.read(x, first, s.block.count, j);
        const bool gaps = !s.block.finite[j / kTileColumns];
        if (gaps) s.missing.resize(s.first.size());
        for (const std::size_t c : s.g.active) {
            const double* share = &s.share[c * s.block.ld];
            s.rows.clear();
            for (std::size_t b = 0; b < s.block.count; ++b)
                if (share[b] != 0) s.rows.push_back(b);
            if (s.rows.empty()) continue;
            if (gaps)
                add_tile<true>(s, c);
            else
                add_tile<false>(s, c);
        }
    }
}

inline void merge_wide(const WideSums& s, const Results& out) {
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

template <class T>
void wide_sums(const View<T>& x, const double* row_weight, const Gaussians& g, const Rule& rule, const Runtime& runtime,
               const Results& out) {
    const WideGaussians w(g);
    const Stripes stripes(x.rows, 2 * kWideHeight);
    auto work = [&](std::size_t k, WideSums& s) {
        s.clear();
        double weight[kWideHeight];
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kWideHeight) {
            const std::size_t n = std::min(kWideHeight, stripes.end(k) - first);
            for (std::size_t b = 0; b < kWideHeight; ++b)
                weight[b] = b >= n ? 0.0 : row_weight ? row_weight[first + b] : 1.0;
            s.block.evaluate(x, first, n, w);
            share_rows(s, rule, weight, first);
            add_wide(s, x, first);
        }
    };
    const double operations = 7.0 * static_cast<double>(x.rows) * static_cast<double>(g.count * g.columns);
    reduce_stripes(
        stripes.count(), operations, runtime, [&] { return WideSums(w); }, work,
        [&](std::size_t, const WideSums& sums) { merge_wide(sums, out); });
}

template <class T>
void wide_log_probs(const View<T>& x, const Gaussians& g, const Runtime& runtime, double* out) {
    const WideGaussians w(g);
    const std::size_t k = g.count;
    const Stripes stripes(x.rows, kWideHeight);
    auto work = [&](std::size_t s, WideBlock& block) {
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kWideHeight) {
            block.evaluate(x, first, std::min(kWideHeight, stripes.end(s) - first), w);
            const View<double> joint{block.log_joint.data(), k, block.count, static_cast<std::ptrdiff_t>(block.ld), 1};
            copy_columns(joint, 0, k, out + first * k, k);
        }
    };
    for_stripes(
        stripes.count(), 4.0 * static_cast<double>(x.rows) * static_cast<double>(k * g.columns), runtime,
        [&] { return WideBlock(k); }, work);
}

}  // namespace suffice
