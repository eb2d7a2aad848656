// The nearest rows of each query by Euclidean distance, for many columns: all rows are scanned in single precision,
// and what this cannot decide is computed in double.
//
// Rows c and queries x are taken about a shift and scaled to length at most 1. ‖c‖²/2 − x·c ranks the rows; its rounding
// is bounded for every panel by unit (‖x‖ R + R²/2), R the longest of the panel. A row stays a candidate while its least
// possible score is not above the k-th of the greatest possible ones. For many queries and columns the scan is one of bytes
// first, where the processor has products of bytes and they leave few enough candidates.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "neighbors/byte_panels.hpp"
#include "core/lane_bits.hpp"
#include "neighbors/neighbours.hpp"
#include "neighbors/panels.hpp"

namespace suffice {
namespace {

using V = LaneTypes<float>::V;
constexpr int kWide = sizeof(V) / sizeof(float);
constexpr int kVectors = 2;                                  // vectors of a panel at a time
constexpr int kStep = kVectors * kWide;
constexpr std::size_t kTile = kLanes == 8 ? ByteQueries::kTile : 6;  // queries at a time
constexpr std::size_t kBlock = 192;                          // queries that share a panel in the cache

// One panel, some columns of all its rows at a time, so that what is written stays in the nearest cache.
template <class T>
void pack_panel(const View<T>& y, std::size_t p, const double* shift, double scale, float* cells, float* half_norm,
                float* longest) {
    constexpr std::size_t kColumns = 16;
    const std::size_t d = y.cols, first = p * kPanelRows, count = std::min(kPanelRows, y.rows - first);
    double norm[kPanelRows] = {};
    std::fill_n(cells + p * d * kPanelRows, d * kPanelRows, 0.0f);
    for (std::size_t begin = 0; begin < d; begin += kColumns)
        for (std::size_t c = 0; c < count; ++c)
            for (std::size_t j = begin; j < std::min(d, begin + kColumns); ++j) {
                const double x = (static_cast<double>(y.at(first + c, j)) - shift[j]) * scale;
                cells[(p * d + j) * kPanelRows + c] = static_cast<float>(x);
                norm[c] += x * x;
            }
    double most = 0;
    for (std::size_t c = 0; c < kPanelRows; ++c) {
        half_norm[first + c] = c < count ? static_cast<float>(norm[c] / 2) : std::numeric_limits<float>::quiet_NaN();
        most = std::max(most, norm[c]);
    }
    longest[p] = static_cast<float>(std::sqrt(most) * 1.000001);
}

template <class T>
void pack(const View<T>& y, const double* shift, double scale, const Runtime& runtime, float* cells, float* half_norm,
          float* longest) {
    const Stripes stripes((y.rows + kPanelRows - 1) / kPanelRows, 8);
    reduce_stripes(
        stripes.count(), static_cast<double>(y.rows * y.cols), runtime, [] { return 0; },
        [&](std::size_t s, int&) {
            for (std::size_t p = stripes.begin(s); p < stripes.end(s); ++p)
                pack_panel(y, p, shift, scale, cells, half_norm, longest);
        },
        [](std::size_t, int&) {});
}

struct Scratch {
    std::vector<float> cells;  // (tiles, d, kTile)
    std::vector<float> length;
    ByteQueries bytes;
    std::vector<Candidates> candidates;
    TopK list;

    Scratch(std::size_t k, std::size_t d)
        : cells(kBlock * d), length(kBlock), bytes(kBlock, d), candidates(kBlock, Candidates(k)), list(k) {}
};

inline void load_queries(const View<double>& x, std::size_t first, std::size_t count, const Panels& y, Scratch& scratch) {
    const std::size_t d = y.d;
    for (std::size_t i = 0; i < round_up(count, kTile); ++i) {
        double norm = 0;
        float* out = scratch.cells.data() + i / kTile * d * kTile + i % kTile;
        for (std::size_t j = 0; j < d; ++j) {
            const double cell = i < count ? (x.at(first + i, j) - y.shift[j]) * y.scale : 0;
            out[j * kTile] = static_cast<float>(cell);
            norm += cell * cell;
        }
        scratch.length[i] = static_cast<float>(std::sqrt(norm) * 1.000001);
        scratch.candidates[i].clear();
        if (i >= count) scratch.candidates[i].limit = -std::numeric_limits<float>::infinity();
    }
}

// Scores of a tile of queries with some rows of a panel.
inline void scan(const Panels& y, std::size_t p, std::size_t from, const float* queries, const float* length, float unit,
                 Candidates* candidates) {
    V score[kTile][kVectors];
    for (int v = 0; v < kVectors; ++v) {
        V half;
        std::memcpy(&half, y.half_norm + p * kPanelRows + from + static_cast<std::size_t>(v * kWide), sizeof half);
        for (std::size_t r = 0; r < kTile; ++r) score[r][v] = half;
    }
    const float* cells = y.cells + p * y.d * kPanelRows + from;
    for (std::size_t j = 0; j < y.d; ++j, cells += kPanelRows, queries += kTile) {
        V c[kVectors];
        for (int v = 0; v < kVectors; ++v) std::memcpy(&c[v], cells + v * kWide, sizeof(V));
        for (std::size_t r = 0; r < kTile; ++r) {
            const V x = queries[r] - V{};  // less 0 is no operation, unlike plus 0
            for (int v = 0; v < kVectors; ++v) score[r][v] -= x * c[v];
        }
    }
    const float longest = y.longest[p];
    for (std::size_t r = 0; r < kTile; ++r) {
        const float error = unit * (length[r] * longest + longest * longest / 2) + kTiny;
        const V limit = V{} + (candidates[r].limit + error);
        std::uint32_t bits = 0;
        for (int v = 0; v < kVectors; ++v) bits |= at_most(score[r][v], limit) << (v * kWide);
        if (bits == 0) continue;
        float scores[kStep];
        for (int v = 0; v < kVectors; ++v) std::memcpy(scores + v * kWide, &score[r][v], sizeof(V));
        for (; bits != 0; bits &= bits - 1) {
            const auto at = static_cast<std::size_t>(__builtin_ctz(bits));
            candidates[r].offer(scores[at], error, static_cast<std::uint32_t>(p * kPanelRows + from + at));
        }
    }
}

// Squared distances of one query from several rows, side by side, so that no addition waits for the one before. The
// columns are added in order, as everywhere.
template <int count, class T>
void squared_from(const double* x, const View<T>& y, const std::uint32_t* rows, double* values) {
    double sum[count] = {};
    const T* at[count];
    for (int c = 0; c < count; ++c) at[c] = y.data + static_cast<std::ptrdiff_t>(rows[c]) * y.row_stride;
    for (std::size_t j = 0; j < y.cols; ++j)
        for (int c = 0; c < count; ++c) {
            const double step = x[j] - static_cast<double>(at[c][j]);
            sum[c] = plus_square(sum[c], step);
        }
    for (int c = 0; c < count; ++c) values[c] = sum[c];
}

// The same with sums in another order.
template <class T>
double about_squared(const double* x, const T* y, std::size_t d) {
    typedef T Cells __attribute__((vector_size(kLanes * sizeof(T))));
    Vec sum[4] = {};
    std::size_t j = 0;
    for (; j + 4 * kLanes <= d; j += 4 * kLanes)
        for (int u = 0; u < 4; ++u) {
            Cells cells;
            std::memcpy(&cells, y + j + u * kLanes, sizeof cells);
            const Vec step = load(x + j + u * kLanes) - __builtin_convertvector(cells, Vec);
            sum[u] += step * step;
        }
    double total = sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; j < d; ++j) total += (x[j] - static_cast<double>(y[j])) * (x[j] - static_cast<double>(y[j]));
    return total;
}

// Drops those of many candidates that cannot be among the k nearest, rounding or not.
template <class T>
void narrow(const double* x, const View<T>& y, std::size_t k, std::vector<Candidates::Kept>& kept) {
    std::vector<double> squared(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) squared[i] = about_squared(x, &y.at(kept[i].row, 0), y.cols);
    std::vector<double> sorted = squared;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(k) - 1, sorted.end());
    const double most = sorted[k - 1] * (1 + 1e-9);
    std::size_t left = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (squared[i] <= most) kept[left++] = kept[i];
    kept.resize(left);
}

template <class T>
void decide(const double* x, const View<T>& y, std::size_t k, Candidates& candidates, TopK& list, double* values,
            std::int64_t* rows) {
    constexpr std::size_t kSide = 8;
    auto& kept = candidates.settle();
    if (kept.size() > 2 * k + 16) narrow(x, y, k, kept);
    list.clear();
    for (std::size_t i = 0; i < kept.size(); i += kSide) {
        std::uint32_t at[kSide];
        double squared[kSide] = {};
        const std::size_t some = std::min(kSide, kept.size() - i);
        for (std::size_t c = 0; c < kSide; ++c) at[c] = kept[i + std::min(c, some - 1)].row;
        if (some == kSide)
            squared_from<kSide>(x, y, at, squared);
        else
            for (std::size_t c = 0; c < some; ++c) squared_from<1>(x, y, at + c, squared + c);
        for (std::size_t c = 0; c < some; ++c) list.offer(squared[c], at[c]);
    }
    list.write(values, rows);
}

// Whether the bytes of the rows rule out enough of them for these queries.
inline bool scan_bytes(const BytePanels& rows, const View<double>& x, std::size_t first, std::size_t count,
                       const Panels& y, Scratch& scratch) {
    scratch.bytes.load(x, first, count, y, rows);
    std::size_t kept = 0;
    for (std::size_t p = 0; p < y.count; ++p)
        for (std::size_t i = 0; i < count; i += kTile) rows.scan(y, p, scratch.bytes, i, &scratch.candidates[i]);
    for (std::size_t i = 0; i < count; ++i) kept += scratch.candidates[i].settle().size();
    return kept * 32 <= count * y.count * kPanelRows;
}

// x by rows without gaps between its columns, as y.
template <class T>
void nearest_filtered(const View<double>& x, const View<T>& y, const Panels& panels, std::size_t k, Lists out,
                      const Runtime& runtime) {
    const std::size_t d = panels.d;
    const float unit = 6.5e-8f * static_cast<float>(d + 8);
    const bool is_large = panels.count * kPanelRows * d > (std::size_t{1} << 22);  // than the cache
    const Stripes stripes(x.rows, is_large ? kBlock : kBlock / 4);
    const BytePanels bytes(panels, x.rows >= kBlock && k * 64 <= y.rows, runtime);
    auto work = [&](std::size_t s, Scratch& scratch) {
        bool by_bytes = bytes.is_useful();
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(s) - first);
            load_queries(x, first, count, panels, scratch);
            if (by_bytes) {
                by_bytes = scan_bytes(bytes, x, first, count, panels, scratch);
            } else {
                for (std::size_t p = 0; p < panels.count; ++p)
                    for (std::size_t from = 0; from < kPanelRows; from += kStep)
                        for (std::size_t i = 0; i < count; i += kTile)
                            scan(panels, p, from, scratch.cells.data() + i * d, &scratch.length[i], unit,
                                 &scratch.candidates[i]);
            }
            for (std::size_t i = 0; i < count; ++i)
                decide(&x.at(first + i, 0), y, k, scratch.candidates[i], scratch.list, out.values + (first + i) * k,
                       out.rows + (first + i) * k);
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(y.rows) * static_cast<double>(d + 2);
    reduce_stripes(stripes.count(), operations, runtime, [&] { return Scratch(k, d); }, work,
                   [](std::size_t, Scratch&) {});
}

template <class Cells>
void expect_panels(std::size_t n, std::size_t d, const Cells& cells, const Cells& half_norm, const Cells& longest,
                   const Input& shift) {
    const std::size_t panels = (n + kPanelRows - 1) / kPanelRows;
    expect("cells", cells, panels * d * kPanelRows);
    expect("half_norm", half_norm, panels * kPanelRows);
    expect("longest", longest, panels);
    expect("shift", shift, d);
}

template <class T>
void bind(nb::module_& m) {
    m.def("filter_pack", [](Matrix<T> y, Input shift, double scale, int threads, Result<float> cells,
                            Result<float> half_norm, Result<float> longest) {
        expect_panels(y.shape(0), y.shape(1), cells, half_norm, longest, shift);
        call(threads, [&](const Runtime& r) {
            pack(view<T>(y), shift.data(), scale, r, cells.data(), half_norm.data(), longest.data());
        });
    }, nb::arg("y"), nb::arg("shift"), nb::arg("scale"), nb::arg("threads"), nb::arg("cells"),
       nb::arg("half_norm"), nb::arg("longest"));
    m.def("nearest_filtered", [](Matrix<double> x, Matrix<T> y, Result<const float> cells,
                                 Result<const float> half_norm, Result<const float> longest, Input shift, double scale,
                                 std::size_t k, int threads, Output values, Result<std::int64_t> rows) {
        expect_panels(y.shape(0), y.shape(1), cells, half_norm, longest, shift);
        expect("x", x, x.shape(0) * y.shape(1));
        expect("values", values, x.shape(0) * k);
        expect("rows", rows, x.shape(0) * k);
        const Panels panels{cells.data(), half_norm.data(), longest.data(), shift.data(),
                            scale,        longest.shape(0), y.shape(1)};
        call(threads, [&](const Runtime& r) {
            nearest_filtered(view<double>(x), view<T>(y), panels, k, Lists{values.data(), rows.data()}, r);
        });
    }, nb::arg("x"), nb::arg("y"), nb::arg("cells"),
       nb::arg("half_norm"), nb::arg("longest"), nb::arg("shift"), nb::arg("scale"),
       nb::arg("k"), nb::arg("threads"), nb::arg("values"), nb::arg("rows"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
