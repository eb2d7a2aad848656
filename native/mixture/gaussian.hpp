// Log densities of Gaussians for blocks of rows that lie column by column, so that the lanes of a vector are rows.
// A row with gaps is completed by its mean given what was seen, under each component by itself; see gaps.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/binding.hpp"
#include "core/lines.hpp"
#include "core/transpose.hpp"
#include "mixture/gaps.hpp"
#include "mixture/roots.hpp"

namespace suffice {

enum class Shape { full, tied, diagonal };

inline constexpr std::size_t kTile = 4;   // rows of a matrix taken at once
inline constexpr std::size_t kWide = 64;  // columns; with more, turning rows into columns costs more than it saves

// Rows of a block; few where many columns, which independent ones are read again for each component, would leave the
// first-level cache.
inline std::size_t block_height(std::size_t d, Shape shape) {
    return d > 8 && (d <= 32 || shape == Shape::diagonal) ? 64 : 128;
}

inline void expect_gaussians(std::size_t d, const Full<double>& means, const Input& covariance, const Input& log_weight,
                             Shape shape) {
    const std::size_t k = means.shape(0);
    expect("means", means, k * d);
    expect("covariance", covariance, shape == Shape::full ? k * d * d : shape == Shape::tied ? d * d : k * d);
    expect("log_weight", log_weight, k);
}

// Gaussians ready for use. full: whitening[k] is the inverse root of each covariance; tied: there is one, and the
// means are whitened; diagonal: precision (k, d). `constant` has the log weight and everything but the quadratic form.
struct Gaussians {
    Shape shape;
    std::size_t count, columns, padded;  // padded: columns up to whole tiles
    std::vector<double> mean, precision, constant, centre;
    std::vector<double> common;  // (k) where columns are independent: the precision of all of them, 0 where they differ
    std::vector<std::vector<double>> whitening, inverse_root, precision_matrix, packed_precision;
    std::vector<std::size_t> active;  // components with a weight
    std::ptrdiff_t singular = -1;     // the first component without a root, where there is one

    Gaussians(Shape s, const double* means, const double* covariance, const double* log_weight, std::size_t k,
              std::size_t d, bool gaps, const Runtime& runtime)
        : shape(s), count(k), columns(d), padded(round_up(d, kTile)), mean(means, means + k * d),
          constant(log_weight, log_weight + k), centre(d) {
        for (std::size_t c = 0; c < k; ++c)
            if (std::isfinite(log_weight[c])) active.push_back(c);
        if (s == Shape::diagonal) {
            set_diagonal(covariance);
        } else if (s == Shape::tied) {
            set_tied(covariance);
        } else {
            set_full(covariance, gaps, runtime);
        }
    }

    // Whether there are so many independent columns that they are read in tiles.
    bool is_wide() const { return shape == Shape::diagonal && columns > kWide; }

    const std::vector<double>& whitening_of(std::size_t c) const { return whitening[shape == Shape::tied ? 0 : c]; }

  private:
    void set_diagonal(const double* variance) {
        const std::size_t d = columns;
        precision.resize(count * d);
        for (const std::size_t c : active)
            for (std::size_t j = 0; j < d; ++j) {
                if (!(variance[c * d + j] > 0) && singular < 0) singular = static_cast<std::ptrdiff_t>(c);
                precision[c * d + j] = 1 / variance[c * d + j];
            }
        common.resize(count);
        for (const std::size_t c : active) {
            constant[c] -= 0.5 * (static_cast<double>(d) * kLogTwoPi + sum_of_logs(variance + c * d, d));
            const double* own = &precision[c * d];
            if (std::all_of(own, own + d, [&](double p) { return p == own[0]; })) common[c] = own[0];
        }
    }

    static double sum_of_logs(const double* values, std::size_t n) {
        const bool normal = std::all_of(values, values + n, [](double v) { return std::isnormal(v); });
        Vec sums = {};
        std::size_t i = 0;
        for (; i + kLanes <= n && normal; i += kLanes) sums += log_normal(load(values + i));
        double sum = sum_lanes(sums);
        for (; i < n; ++i) sum += std::log(values[i]);
        return sum;
    }

    void set_full(const double* covariance, bool gaps, const Runtime& runtime) {
        const std::size_t d = columns;
        for (auto* matrices : {&inverse_root, &whitening, &precision_matrix, &packed_precision}) matrices->resize(count);
        const double operations = static_cast<double>(active.size() * d * d) * static_cast<double>(d);
        reduce_stripes(
            active.size(), operations, runtime, [] { return true; },
            [&](std::size_t i, bool& has_root) {
                const std::size_t c = active[i];
                const auto log_root = add_root(covariance + c * d * d, c);
                has_root = log_root.has_value();
                if (has_root) constant[c] -= *log_root;
                if (has_root && gaps) set_precision_matrix(c);
            },
            [&](std::size_t i, bool has_root) {
                if (!has_root && singular < 0) singular = static_cast<std::ptrdiff_t>(active[i]);
            });
    }

    void set_tied(const double* covariance) {
        const std::size_t d = columns;
        inverse_root.resize(1);
        whitening.resize(1);
        const auto log_root = add_root(covariance, 0);
        if (!log_root) {
            singular = 0;
            return;
        }
        for (std::size_t c = 0; c < count; ++c) constant[c] -= *log_root;
        for (const std::size_t c : active)
            for (std::size_t j = 0; j < d; ++j) centre[j] += mean[c * d + j] / static_cast<double>(active.size());
        for (std::size_t c = 0; c < count; ++c) {
            std::vector<double> about(d);
            for (std::size_t j = 0; j < d; ++j) about[j] = mean[c * d + j] - centre[j];
            for (std::size_t i = 0; i < d; ++i) {
                double sum = 0;
                for (std::size_t j = 0; j <= i; ++j) sum += inverse_root[0][i * d + j] * about[j];
                mean[c * d + i] = sum;
            }
        }
        precision.assign(count * d, 1.0);
        common.assign(count, 1.0);
    }

    // The logarithm of √det(2π covariance); nothing where there is no root.
    std::optional<double> add_root(const double* covariance, std::size_t c) {
        const std::size_t d = columns;
        std::vector<double> root(covariance, covariance + d * d);
        if (!root_of(root.data(), d)) return std::nullopt;
        auto& inverse = inverse_root[c];
        inverse.assign(d * d, 0.0);
        invert_lower(root.data(), d, inverse.data());
        double log_root = 0.5 * static_cast<double>(d) * kLogTwoPi;
        for (std::size_t j = 0; j < d; ++j) log_root += std::log(root[j * d + j]);
        pack(inverse, whitening[c]);
        return log_root;
    }

    // Tiles of kTile rows, for each column the rows' values side by side, as `whiten` reads them.
    void pack(const std::vector<double>& matrix, std::vector<double>& packed, bool whole = false) const {
        packed.clear();
        for (std::size_t i = 0; i < columns; i += kTile)
            for (std::size_t j = 0; j < (whole ? columns : std::min(columns, i + kTile)); ++j)
                for (std::size_t l = 0; l < kTile; ++l)
                    packed.push_back(i + l < columns ? matrix[(i + l) * columns + j] : 0.0);
    }

    void set_precision_matrix(std::size_t c) {
        const std::size_t d = columns;
        auto& out = precision_matrix[c];
        out.resize(d * d);
        gram_of_lower(inverse_root[c].data(), d, out.data());
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = i + 1; j < d; ++j) out[i * d + j] = out[j * d + i];
        pack(out, packed_precision[c], true);
    }
};

// z = W r for a block of rows (columns ld apart), or q = ‖W r‖²; W is a lower triangle unless it is `whole`.
template <bool keep>
void whiten(const std::vector<double>& packed, const double* r, std::size_t d, std::size_t height, std::size_t ld,
            double* z, double* q, bool whole = false) {
    for (std::size_t b = 0; b < height; b += 2 * kLanes) {
        const double* w = packed.data();
        Vec squares[2] = {};
        for (std::size_t i = 0; i < d; i += kTile) {
            Vec sum[kTile][2] = {};
            const std::size_t end = whole ? d : std::min(d, i + kTile);
            for (std::size_t j = 0; j < end; ++j, w += kTile) {
                const Vec left = load(r + j * ld + b), right = load(r + j * ld + b + kLanes);
                for (std::size_t l = 0; l < kTile; ++l) {
                    sum[l][0] += left * w[l];
                    sum[l][1] += right * w[l];
                }
            }
            for (std::size_t l = 0; l < kTile; ++l) {
                if constexpr (keep) {
                    if (i + l >= d) break;
                    store(z + (i + l) * ld + b, sum[l][0]);
                    store(z + (i + l) * ld + b + kLanes, sum[l][1]);
                } else {
                    squares[0] += sum[l][0] * sum[l][0];
                    squares[1] += sum[l][1] * sum[l][1];
                }
            }
        }
        if constexpr (!keep) {
            store(q + b, squares[0]);
            store(q + b + kLanes, squares[1]);
        }
    }
}

// The rows that come after a block, fetched part by part while it is worked on: the first look at them is what waits.
struct Ahead {
    const char* at = nullptr;
    std::size_t bytes = 0;

    template <class T>
    static Ahead after(const View<T>& rows, std::size_t first, std::size_t n) {
        const std::size_t next = first + n, count = std::min(n, rows.rows - next);
        if (!count || rows.col_stride != 1 || rows.row_stride != static_cast<std::ptrdiff_t>(rows.cols)) return {};
        return {reinterpret_cast<const char*>(&rows.at(next, 0)), count * rows.cols * sizeof(T)};
    }

    void fetch(std::size_t part, std::size_t parts) const {
        constexpr std::size_t kLine = 64;
        const std::size_t lines = bytes / kLine;
        for (std::size_t i = lines * part / parts; i < lines * (part + 1) / parts; ++i)
            __builtin_prefetch(at + i * kLine, 0, 2);
    }
};

// A block of rows, column by column; `z` holds residuals or whitened rows, `log_joint` (k, ld) the
// densities, -∞ for components without a weight.
struct RowBlock {
    std::size_t height, ld, count = 0;
    Lines x, z, log_joint;
    Lines completed;  // (k, d, ld): residuals with gaps filled, where the block has any
    Gaps gaps;
    Completion completion;

    explicit RowBlock(const Gaussians& g)
        : height(block_height(g.columns, g.shape)), ld(height + kLanes), x(g.columns * ld), z(g.columns * ld),
          log_joint(g.count * ld, -INFINITY), spare_(g.columns * ld) {}

    template <class T>
    void read(const View<T>& rows, std::size_t first, std::size_t n) {
        count = n;
        ahead_ = Ahead::after(rows, first, n);
        height = round_up(n, kBeside * kLanes);
        copy_columns(rows, first, n, x.data(), ld);
        for (std::size_t j = 0; j < rows.cols && n < height; ++j)
            for (std::size_t b = n; b < height; ++b) x[j * ld + b] = std::isnan(x[j * ld]) ? 0.0 : x[j * ld];
        gaps.rows.clear();
        infinite_.clear();
        if (!is_finite(rows.cols)) find_odd(rows.cols);
    }

    // The log weight plus log density of every row under every active component; −∞ where a cell is infinite.
    void evaluate(const Gaussians& g) {
        evaluate_finite(g);
        for (const std::size_t b : infinite_)
            for (const std::size_t c : g.active) log_joint[c * ld + b] = -INFINITY;
    }

    bool is_whole() const { return gaps.empty() && infinite_.empty(); }

    // out = x - shift.
    void subtract(const double* shift, std::size_t d, double* out) const {
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t b = 0; b < height; b += kLanes) store(out + j * ld + b, load(&x[j * ld + b]) - shift[j]);
    }

  private:
    void evaluate_finite(const Gaussians& g) {
        const std::size_t d = g.columns;
        if (g.shape == Shape::tied) {
            subtract(g.centre.data(), d, spare_.data());
            whiten<true>(g.whitening[0], spare_.data(), d, height, ld, z.data(), nullptr);
            return evaluate_separable(g, z.data());
        }
        if (g.shape == Shape::diagonal) return evaluate_separable(g, x.data());
        for (std::size_t i = 0; i < g.active.size(); ++i) {
            evaluate_full(g, g.active[i]);
            ahead_.fetch(i, g.active.size());
        }
    }

    bool is_finite(std::size_t d) const {
        Vec any[4] = {};  // NaN if a cell is NaN or infinite
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t b = 0; b < height; b += 4 * kLanes)
                for (std::size_t v = 0; v < 4; ++v) any[v] += load(&x[j * ld + b + v * kLanes]) * 0.0;
        return sum_lanes((any[0] + any[1]) + (any[2] + any[3])) == 0;
    }

    void find_odd(std::size_t d) {
        gaps.find(x.data(), d, count, ld);
        for (std::size_t b = 0; b < count; ++b)
            for (std::size_t j = 0; j < d; ++j)
                if (std::isinf(x[j * ld + b])) {
                    infinite_.push_back(b);
                    break;
                }
    }

    void evaluate_full(const Gaussians& g, std::size_t c) {
        const std::size_t d = g.columns;
        double* out = &log_joint[c * ld];
        const bool filled = !gaps.empty();
        if (filled) completed.resize(g.count * d * ld);
        double* residual = filled ? &completed[c * d * ld] : z.data();
        subtract(&g.mean[c * d], d, residual);
        if (filled) complete(g, c, residual);
        whiten<false>(g.whitening[c], residual, d, height, ld, nullptr, out);
        for (std::size_t b = 0; b < height; b += kLanes) store(out + b, g.constant[c] - 0.5 * load(out + b));
        for (std::size_t i = 0; i < gaps.groups.size() && filled; ++i)
            for (std::size_t lane = 0; lane < gaps.groups[i].lanes; ++lane)
                out[gaps.groups[i].rows[lane]] += gains_[i][lane];
    }

    void complete(const Gaussians& g, std::size_t c, double* residual) {
        const std::size_t d = g.columns;
        for (std::size_t i = 0; i < d * ld; i += kLanes) {
            const Vec r = load(residual + i);
            store(residual + i, r == r ? r : Vec{});
        }
        whiten<true>(g.packed_precision[c], residual, d, height, ld, spare_.data(), nullptr, true);
        if (c == g.active[0]) gaps.group(nullptr);
        gains_.resize(gaps.groups.size());
        for (std::size_t i = 0; i < gaps.groups.size(); ++i)
            gains_[i] = completion.complete(gaps, gaps.groups[i], g.precision_matrix[c], d, spare_.data(), residual, ld);
    }

    static constexpr std::size_t kBeside = 4;                      // vectors of rows taken at once
    static constexpr std::size_t kTogether = kLanes == 8 ? 2 : 1;  // components that share the loads of a row

    // Columns that are independent of each other: a gap leaves its column out.
    void evaluate_separable(const Gaussians& g, const double* rows) {
        const std::size_t n = g.active.size(), parts = height / (kBeside * kLanes);
        for (std::size_t part = 0; part < parts; ++part)
            for (std::size_t i = 0; i < n;) {
                const bool is_pair = i + kTogether <= n && is_alike(g, i) == is_alike(g, i + kTogether - 1);
                is_pair ? add_columns<kTogether>(g, i, rows, part) : add_columns<1>(g, i, rows, part);
                for (std::size_t end = i + (is_pair ? kTogether : 1); i < end; ++i) ahead_.fetch(part * n + i, parts * n);
            }
        for (std::size_t i = 0; i < n && g.shape == Shape::diagonal; ++i) evaluate_gaps(g, g.active[i], rows);
    }

    static bool is_alike(const Gaussians& g, std::size_t i) { return g.common[g.active[i]] != 0; }

    template <std::size_t kCount>
    void add_columns(const Gaussians& g, std::size_t first, const double* rows, std::size_t part) {
        is_alike(g, first) ? add_columns<kCount, true>(g, first, rows, part)
                           : add_columns<kCount, false>(g, first, rows, part);
    }

    // Of `kCount` active components from the first on.
    template <std::size_t kCount, bool alike>
    void add_columns(const Gaussians& g, std::size_t first, const double* rows, std::size_t part) {
        const std::size_t d = g.columns, b = part * kBeside * kLanes;
        const double *mean[kCount], *precision[kCount];
        for (std::size_t i = 0; i < kCount; ++i) {
            mean[i] = &g.mean[g.active[first + i] * d];
            precision[i] = &g.precision[g.active[first + i] * d];
        }
        Vec q[kCount][kBeside] = {};
        for (std::size_t j = 0; j < d; ++j) {
            Vec cells[kBeside];
            for (std::size_t v = 0; v < kBeside; ++v) cells[v] = load(rows + j * ld + b + v * kLanes);
            for (std::size_t i = 0; i < kCount; ++i)
                for (std::size_t v = 0; v < kBeside; ++v) {
                    const Vec r = cells[v] - mean[i][j];
                    q[i][v] += alike ? r * r : r * r * precision[i][j];
                }
        }
        for (std::size_t i = 0; i < kCount; ++i) {
            const std::size_t c = g.active[first + i];
            const double scale = alike ? 0.5 * g.common[c] : 0.5;
            for (std::size_t v = 0; v < kBeside; ++v)
                store(&log_joint[c * ld + b + v * kLanes], g.constant[c] - scale * q[i][v]);
        }
    }

    void evaluate_gaps(const Gaussians& g, std::size_t c, const double* rows) {
        const std::size_t d = g.columns;
        const double *mean = &g.mean[c * d], *precision = &g.precision[c * d];
        for (const std::size_t b : gaps.rows) {
            double total = g.constant[c];
            for (std::size_t j = 0; j < d; ++j) {
                const double r = rows[j * ld + b] - mean[j];
                total += std::isnan(r) ? 0.5 * (kLogTwoPi - std::log(precision[j])) : -0.5 * r * r * precision[j];
            }
            log_joint[c * ld + b] = total;
        }
    }

    std::vector<Vec> gains_;
    std::vector<std::size_t> infinite_;  // rows with an infinite cell
    Lines spare_;
    Ahead ahead_;
};

}  // namespace suffice
