// A round of EM for a mixture of Gaussians in one pass: each row's share of every component, and from the shares the
// weight, the first and the second moments of every component about its present mean. No matrix of shares is kept.
//
// Second moments are products of columns over the rows of a block, in tiles that fit the registers; their lanes are
// summed only when a stripe ends, unless so many columns would leave the cache: then after every block. A row whose
// share of a component is below e^-41 of its largest adds nothing that a double could hold, and is left out. Independent
// columns that fill vectors are summed row by row; see row_sums.hpp.
#include <limits>

#include "mixture/row_sums.hpp"

namespace suffice {
namespace {

constexpr std::size_t kAcross = kLanes == 8 ? 4 : 2;  // columns of a tile: what the registers hold
constexpr std::size_t kCells = kTile * kAcross;

// How many doubles a product of columns has until a stripe ends.
inline std::size_t lanes_kept(std::size_t d) { return d > 48 ? 1 : kLanes; }

struct Sums : Shares<RowBlock> {
    Lines residual, scaled;                          // (padded, ld)
    std::size_t kept;                                // doubles of each product
    std::vector<double> weight, first, second;       // lanes of sums: (k), (k, d), (k, tiles or d)
    std::vector<double> extra, cells;                // covariance of what is missing (k, d, d); weight of gaps (k, d)
    std::vector<std::size_t> rows;                   // of the block, those with a share

    Sums(const Gaussians& gaussians, bool gaps)
        : Shares(gaussians, RowBlock(gaussians)), residual(g.padded * block.ld), scaled(g.padded * block.ld), kept(lanes_kept(g.columns)),
          weight(g.count * kLanes), first(g.count * g.columns * kLanes), second(second_size()),
          extra(gaps && g.shape == Shape::full ? g.count * g.columns * g.columns : 0),
          cells(gaps && g.shape == Shape::diagonal ? g.count * g.columns : 0) {}

    std::size_t tiles() const {  // on and below the diagonal, kTile rows by kAcross columns
        std::size_t n = 0;
        for (std::size_t i = 0; i < g.padded; i += kTile) n += (i + kTile) / kAcross;
        return n;
    }

    std::size_t product_size() const { return tiles() * kCells * kept; }

    std::size_t second_size() const {
        if (g.shape == Shape::diagonal) return g.count * g.columns * kLanes;
        return (g.shape == Shape::tied ? 1 : g.count) * product_size();
    }

    void clear() {
        for (auto* sums : {&weight, &first, &second, &extra, &cells}) std::fill(sums->begin(), sums->end(), 0.0);
        log_likelihood = 0;
    }
};

// ---- sums -------------------------------------------------------------------------------------------------------

inline void add_lanes(double* sums, Vec value) { store(sums, load(sums) + value); }

// A tile of sums as doubles, each the sum of its lanes.
inline void add_collapsed(double* out, Vec (&sum)[kCells]) {
    for (std::size_t g = 0; g < kCells; g += kLanes) {
        Vec square[kLanes], total = {};
        for (std::size_t l = 0; l < kLanes; ++l) square[l] = sum[g + l];
        turn(square);
        for (std::size_t l = 0; l < kLanes; ++l) total += square[l];
        add_lanes(out + g, total);
    }
}

// The products of the columns of `scaled` and `residual`, over `height` rows, on and below the diagonal.
void add_products(const Sums& s, std::size_t height, double* out) {
    const std::size_t ld = s.block.ld;
    for (std::size_t i = 0; i < s.g.padded; i += kTile)
        for (std::size_t j = 0; j < i + kTile; j += kAcross, out += kCells * s.kept) {
            const double *left = &s.scaled[i * ld], *right = &s.residual[j * ld];
            Vec sum[kCells] = {};
            for (std::size_t b = 0; b < height; b += kLanes) {
                Vec across[kAcross];
                for (std::size_t l = 0; l < kAcross; ++l) across[l] = load(right + l * ld + b);
                for (std::size_t r = 0; r < kTile; ++r) {
                    const Vec down = load(left + r * ld + b);
                    for (std::size_t l = 0; l < kAcross; ++l) sum[r * kAcross + l] += down * across[l];
                }
            }
            if (s.kept == 1)
                add_collapsed(out, sum);
            else
                for (std::size_t l = 0; l < kCells; ++l) add_lanes(out + l * kLanes, sum[l]);
        }
}

// Residuals of `all` rows in place, or of the rows with a share alone, side by side; gaps are filled.
void gather(Sums& s, std::size_t c, bool all) {
    const std::size_t d = s.g.columns, ld = s.block.ld, n = s.rows.size(), height = round_up(n, kLanes);
    const bool filled = !s.block.gaps.empty();
    const double* mean = &s.g.mean[c * d];
    const double* from = filled ? &s.block.completed[c * d * ld] : s.block.x.data();
    if (all && filled) std::copy(from, from + d * ld, s.residual.begin());
    if (all && !filled) s.block.subtract(mean, d, s.residual.data());
    for (std::size_t j = 0; j < d && !all; ++j) {
        const double shift = filled ? 0.0 : mean[j];
        for (std::size_t i = 0; i < n; ++i) s.residual[j * ld + i] = from[j * ld + s.rows[i]] - shift;
        for (std::size_t i = n; i < height; ++i) s.residual[j * ld + i] = 0;
    }
}

// The covariance of what is missing, of every row by its share.
void add_missing(Sums& s, std::size_t c, const double* share) {
    const std::size_t d = s.g.columns;
    auto& gaps = s.block.gaps;
    auto& completion = s.block.completion;
    gaps.group(share);
    for (const auto& group : gaps.groups) {
        const std::size_t m = group.missing;
        completion.invert(gaps, group, s.g.precision_matrix[c], d);
        for (std::size_t lane = 0; lane < group.lanes; ++lane) {
            const std::size_t row = group.rows[lane];
            for (std::size_t a = 0; a < m; ++a) {
                double* out = &s.extra[(c * d + gaps.place(row, a)) * d];
                for (std::size_t b = 0; b <= a; ++b)
                    out[gaps.place(row, b)] += share[row] * completion.covariance(m, a, b, lane);
            }
        }
    }
}

void add_full(Sums& s, std::size_t c) {
    const std::size_t d = s.g.columns, ld = s.block.ld;
    const double* share = &s.share[c * ld];
    s.rows.clear();
    for (std::size_t b = 0; b < s.block.count; ++b)
        if (share[b] > 0) s.rows.push_back(b);
    if (s.rows.empty()) return;
    const bool all = 4 * s.rows.size() >= 3 * s.block.height;  // taking them one by one would be slower
    const std::size_t height = all ? s.block.height : round_up(s.rows.size(), kLanes);
    gather(s, c, all);
    if (!s.block.gaps.empty()) add_missing(s, c, share);
    Lines& packed = s.block.z;  // free by now; the first column holds the shares of the rows gathered
    if (!all) {
        for (std::size_t i = 0; i < height; ++i) packed[i] = i < s.rows.size() ? share[s.rows[i]] : 0.0;
        share = packed.data();
    }
    for (std::size_t b = 0; b < height; b += kLanes) add_lanes(&s.weight[c * kLanes], load(share + b));
    for (std::size_t j = 0; j < d; ++j) {
        Vec sum = {};
        for (std::size_t b = 0; b < height; b += kLanes) {
            const Vec value = load(share + b) * load(&s.residual[j * ld + b]);
            store(&s.scaled[j * ld + b], value);
            sum += value;
        }
        add_lanes(&s.first[(c * d + j) * kLanes], sum);
    }
    add_products(s, height, &s.second[c * s.product_size()]);
}

// Columns by themselves; `rows` are the rows, whitened where the covariance is shared, and then without squares.
void add_separable(Sums& s, std::size_t c, const double* rows, bool squares) {
    const std::size_t d = s.g.columns, ld = s.block.ld, height = s.block.height;
    const double *share = &s.share[c * ld], *mean = &s.g.mean[c * d];
    Vec total = {};
    for (std::size_t b = 0; b < height; b += kLanes) total += load(share + b);
    add_lanes(&s.weight[c * kLanes], total);
    if (sum_lanes(total) == 0) return;
    const bool gaps = !s.block.gaps.empty();
    for (std::size_t j = 0; j < d; ++j) {
        Vec first[2] = {}, second[2] = {};
        for (std::size_t b = 0; b < height; b += 2 * kLanes)
            for (int v = 0; v < 2; ++v) {
                Vec r = load(rows + j * ld + b + v * kLanes) - mean[j];
                if (gaps && squares) r = r == r ? r : Vec{};
                const Vec value = load(share + b + v * kLanes) * r;
                first[v] += value;
                second[v] += value * r;
            }
        add_lanes(&s.first[(c * d + j) * kLanes], first[0] + first[1]);
        if (squares) add_lanes(&s.second[(c * d + j) * kLanes], second[0] + second[1]);
    }
    if (!squares) return;
    for (const std::size_t b : s.block.gaps.rows)
        for (std::size_t j = 0; j < d; ++j)
            if (std::isnan(rows[j * ld + b])) s.cells[c * d + j] += share[b];
}

// The scatter of all rows about the centre, which is the same for every way to share them out.
void add_total(Sums& s, const double* weight) {
    const std::size_t d = s.g.columns, ld = s.block.ld;
    s.block.subtract(s.g.centre.data(), d, s.residual.data());
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t b = 0; b < s.block.height; b += kLanes)
            store(&s.scaled[j * ld + b], load(weight + b) * load(&s.residual[j * ld + b]));
    add_products(s, s.block.height, s.second.data());
}

template <class T>
void sum_stripe(const View<T>& x, const double* row_weight, const Rule& rule, std::size_t begin, std::size_t end,
                Sums& s) {
    s.clear();
    const std::size_t height = block_height(s.g.columns, s.g.shape);
    std::vector<double> weight(height);
    for (std::size_t first = begin; first < end; first += height) {
        const std::size_t n = std::min(height, end - first);
        for (std::size_t b = 0; b < height; ++b) weight[b] = b >= n ? 0.0 : row_weight ? row_weight[first + b] : 1.0;
        s.block.read(x, first, n);
        s.block.evaluate(s.g);
        share_rows(s, rule, weight.data(), first);
        for (const std::size_t c : s.g.active) {
            if (s.g.shape == Shape::full)
                add_full(s, c);
            else
                add_separable(s, c, s.g.shape == Shape::tied ? s.block.z.data() : s.block.x.data(),
                              s.g.shape == Shape::diagonal);
        }
        if (s.g.shape == Shape::tied) add_total(s, weight.data());
    }
}

// ---- results ----------------------------------------------------------------------------------------------------

double lanes_at(const double* sums) { return sum_lanes(load(sums)); }

// Tiles of sums to the lower triangle of (d, d).
void add_tiles(const double* tiles, std::size_t kept, std::size_t d, std::size_t padded, double* out) {
    for (std::size_t i = 0; i < padded; i += kTile)
        for (std::size_t j = 0; j < i + kTile; j += kAcross)
            for (std::size_t r = 0; r < kTile; ++r)
                for (std::size_t l = 0; l < kAcross; ++l, tiles += kept)
                    if (j + l <= i + r && i + r < d) out[(i + r) * d + j + l] += kept == 1 ? *tiles : lanes_at(tiles);
}

void merge(const Sums& s, const Results& out) {
    const std::size_t k = s.g.count, d = s.g.columns;
    for (std::size_t c = 0; c < k; ++c) out.weight[c] += lanes_at(&s.weight[c * kLanes]);
    for (std::size_t i = 0; i < k * d; ++i) out.first[i] += lanes_at(&s.first[i * kLanes]);
    for (std::size_t i = 0; i < s.cells.size(); ++i) out.cells[i] += s.cells[i];
    if (s.g.shape == Shape::diagonal) {
        for (std::size_t i = 0; i < k * d; ++i) out.second[i] += lanes_at(&s.second[i * kLanes]);
    } else {
        const std::size_t products = s.g.shape == Shape::tied ? 1 : k;
        for (std::size_t c = 0; c < products; ++c)
            add_tiles(&s.second[c * s.product_size()], s.kept, d, s.g.padded, out.second + c * d * d);
        for (std::size_t i = 0; i < s.extra.size(); ++i) out.second[i] += s.extra[i];
    }
    *out.log_likelihood += s.log_likelihood;
}

// What was summed in whitened columns, in those of the rows: first = root · first.
void unwhiten(const Gaussians& g, double* first) {
    const std::size_t d = g.columns;
    std::vector<double> y(d);
    for (std::size_t c = 0; c < g.count; ++c) {
        double* row = first + c * d;
        for (std::size_t i = 0; i < d; ++i) {  // solve inverse_root y = first
            double sum = row[i];
            for (std::size_t j = 0; j < i; ++j) sum -= g.inverse_root[0][i * d + j] * y[j];
            y[i] = sum / g.inverse_root[0][i * d + i];
        }
        std::copy(y.begin(), y.end(), row);
    }
}

// Fewer threads where the sums of all of them would not fit the memory.
Runtime within_memory(const Gaussians& g, bool gaps, const Runtime& runtime) {
    constexpr double kMostBytes = 1 << 30;
    const double cells = g.shape == Shape::full ? static_cast<double>(g.count * g.columns) * static_cast<double>(g.columns) : 0;
    const double threads = kMostBytes / (1 + (gaps ? 12.0 : 4.0) * cells);
    return {std::max(1, static_cast<int>(std::min<double>(threads, runtime.threads))), runtime.interrupted};
}

template <class T>
void mixture_sums(const View<T>& x, const double* row_weight, const Gaussians& g, const Rule& rule, bool gaps,
                  const Runtime& runtime, const Results& out) {
    const std::size_t k = g.count, d = g.columns;
    const Stripes stripes(x.rows, lanes_kept(d) * block_height(d, g.shape));  // enough rows to be worth the merging
    const double operations = static_cast<double>(x.rows) * static_cast<double>(k * d) *
                              static_cast<double>(g.shape == Shape::full ? 2 * d + 8 : 12);
    reduce_stripes(
        stripes.count(), operations, within_memory(g, gaps, runtime), [&] { return Sums(g, gaps); },
        [&](std::size_t s, Sums& sums) { sum_stripe(x, row_weight, rule, stripes.begin(s), stripes.end(s), sums); },
        [&](std::size_t, const Sums& sums) { merge(sums, out); });
    if (g.shape == Shape::tied) unwhiten(g, out.first);
    const std::size_t products = g.shape == Shape::diagonal ? 0 : g.shape == Shape::tied ? 1 : k;
    for (std::size_t c = 0; c < products; ++c)
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = 0; j < i; ++j) out.second[(c * d + j) * d + i] = out.second[(c * d + i) * d + j];
}

template <class T>
void bind(nb::module_& m) {
    using Labels = Vector<std::int32_t>;
    // Returns the first component whose covariance has no root, or -1.
    m.def("mixture_sums", [](Matrix<T> x, Optional<Input> weights, Full<double> means, Input covariance, Input log_weight,
                             int shape, bool gaps, bool hard, Optional<Labels> labels, Optional<Input> uniforms, int threads,
                             Output weight, Output first, Output second, Output cells,
                             Output log_likelihood) {
        const std::size_t n = x.shape(0), k = means.shape(0), d = x.shape(1);
        expect_gaussians(d, means, covariance, log_weight, static_cast<Shape>(shape));
        expect("weights", weights, n);
        expect("labels", labels, n);
        expect_below("labels", labels, k, -1, threads);
        expect("uniforms", uniforms, n);
        expect("weight", weight, k);
        expect("first", first, k * d);
        expect("second", second, covariance.size());
        expect("cells", cells, k * d);
        expect("log_likelihood", log_likelihood, 1);
        const Rule rule{hard, pointer(labels), pointer(uniforms)};
        const Results out{weight.data(), first.data(), second.data(), cells.data(), log_likelihood.data()};
        const double* w = pointer(weights);
        return call(threads, [&](const Runtime& r) {
            const Gaussians g(static_cast<Shape>(shape), means.data(), covariance.data(), log_weight.data(),
                              means.shape(0), means.shape(1), gaps, r);
            if (g.singular >= 0) return g.singular;
            if (g.is_wide())
                row_sums<WideBlock, T>(view<T>(x), w, g, rule, r, out);
            else if (g.shape == Shape::diagonal && d >= 2 * kLanes)
                row_sums<TurnedBlock, T>(view<T>(x), w, g, rule, r, out);
            else
                mixture_sums<T>(view<T>(x), w, g, rule, gaps, r, out);
            return g.singular;
        });
    }, nb::arg("x"), nb::arg("weights").none(), nb::arg("means"), nb::arg("covariance"),
       nb::arg("log_weight"), nb::arg("shape"), nb::arg("gaps"), nb::arg("hard"), nb::arg("labels").none(),
       nb::arg("uniforms").none(), nb::arg("threads"), nb::arg("weight"), nb::arg("first"), nb::arg("second"),
       nb::arg("cells"), nb::arg("log_likelihood"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
