// Gaussians of many independent columns: rows are read in tiles of columns, so that the lanes of a vector are columns
// and neither a row nor a component must fit the cache.
#pragma once

#include "mixture/mixture_shares.hpp"

namespace suffice {

inline constexpr std::size_t kWideHeight = 64;  // rows of a block
inline constexpr std::size_t kTileColumns = 64 * kLanes;

// Columns padded to whole vectors, with the precision 0.
struct WideGaussians {
    const Gaussians& g;
    std::size_t width;
    std::vector<double> mean, precision;  // (k, width)

    explicit WideGaussians(const Gaussians& gaussians)
        : g(gaussians), width(round_up(g.columns, kLanes)), mean(g.count * width), precision(g.count * width) {
        const std::size_t d = g.columns;
        for (const std::size_t c : g.active) {
            std::copy_n(&g.mean[c * d], d, &mean[c * width]);
            std::copy_n(&g.precision[c * d], d, &precision[c * width]);
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
        stride = columns + kLanes;  // a power of two would crowd a few sets of the cache
        copy_.resize(kWideHeight * stride);
        copy_rows(part, 0, part.rows, copy_.data(), stride);
        for (std::size_t b = 0; b < part.rows; ++b)
            std::fill(&copy_[b * stride + part.cols], &copy_[b * stride + columns], 0.0);
        for (std::size_t b = part.rows; b < round_up(part.rows, kLanes); ++b)
            std::copy_n(copy_.data(), columns, &copy_[b * stride]);
        x = copy_.data();
    }

    Lines copy_;
};

struct WideBlock {
    std::size_t height = kWideHeight, ld = kWideHeight, count = 0;
    std::vector<double> log_joint;  // (k, ld), -∞ for components without a weight
    Tile tile;                      // the columns looked at
    std::vector<char> finite;       // whether each tile is

    explicit WideBlock(const WideGaussians& w) : log_joint(w.g.count * ld, -INFINITY) {}

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
                    (kLogTwoPi - std::log(w.g.precision[c * d + j])) / (w.g.common[c] != 0 ? w.g.common[c] : 1.0);
    }

    // What the columns of the tile add to −2 log density, without the constant; a gap takes its column's out of that.
    void add_squares(const WideGaussians& w, std::size_t c, std::size_t b) {
        const bool alike = w.g.common[c] != 0;
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
            log_joint[c * ld + b + r] += (alike ? w.g.common[c] : 1.0) * sum_lanes(q[r]);
    }

    bool looks_ = false;  // for cells that are not finite, before the columns of a tile are added up
    std::vector<char> infinite_;
    std::vector<double> log_scale_;  // (k, width): log(2π variance), over the common precision; once there was a gap
};

// As a wide block, of few columns: densities are computed column by column.
struct TurnedBlock : RowBlock {
    Tile tile;                 // the rows as they lie
    std::vector<char> finite;  // one: whether the tile is

    explicit TurnedBlock(const WideGaussians& w) : RowBlock(w.g) {}

    template <class T>
    void evaluate(const View<T>& rows, std::size_t first, std::size_t n, const WideGaussians& w) {
        read(rows, first, n);
        RowBlock::evaluate(w.g);
        tile.read(rows, first, n, 0);
        finite.assign(1, is_whole());
    }
};

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
        [&] { return WideBlock(w); }, work);
}

}  // namespace suffice
