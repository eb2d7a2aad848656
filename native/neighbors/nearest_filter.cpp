// The rows nearest to each query, and those within a radius, by Euclidean distance, for many columns: FilterScan leaves few
// candidates, which are compared in double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/transpose.hpp"
#include "neighbors/all_rows.hpp"
#include "neighbors/filter_scan.hpp"
#include "neighbors/neighbours.hpp"

namespace suffice {
namespace {

// Columns [begin, end) of one panel; adds to the squared norms of its rows. Squares of cells are turned in registers, so
// that a column is written at once.
template <class T>
void pack_columns(const View<T>& y, std::size_t first, std::size_t count, std::size_t begin, std::size_t end,
                  const double* shift, double scale, float* cells, double* norm) {
    std::size_t j = begin;
    if (y.col_stride == 1 && count == kPanelRows)
        for (; j + kLanes <= end; j += kLanes)
            for (std::size_t c = 0; c < kPanelRows; c += kLanes) {
                Vec square[kLanes], squares = load(norm + c);
                for (std::size_t l = 0; l < kLanes; ++l)
                    square[l] = (load_doubles(&y.at(first + c + l, j)) - load(shift + j)) * scale;
                turn(square);
                for (std::size_t l = 0; l < kLanes; ++l) {
                    typedef float Singles __attribute__((vector_size(kLanes * sizeof(float))));
                    const Singles column = __builtin_convertvector(square[l], Singles);
                    std::memcpy(cells + (j + l) * kPanelRows + c, &column, sizeof column);
                    squares += square[l] * square[l];
                }
                store(norm + c, squares);
            }
    for (std::size_t c = 0; c < count; ++c)
        for (std::size_t l = j; l < end; ++l) {
            const double x = (static_cast<double>(y.at(first + c, l)) - shift[l]) * scale;
            cells[l * kPanelRows + c] = static_cast<float>(x);
            norm[c] += x * x;
        }
}

// One panel, some columns of all its rows at a time, so that what is written stays in the nearest cache.
template <class T>
void pack_panel(const View<T>& y, std::size_t p, const double* shift, double scale, float* cells, float* half_norm,
                float* longest) {
    constexpr std::size_t kColumns = 16;
    const std::size_t d = y.cols, first = p * kPanelRows, count = std::min(kPanelRows, y.rows - first);
    double norm[kPanelRows] = {};
    float* own = cells + p * d * kPanelRows;
    if (count < kPanelRows) std::fill_n(own, d * kPanelRows, 0.0f);
    for (std::size_t begin = 0; begin < d; begin += kColumns)
        pack_columns(y, first, count, begin, std::min(d, begin + kColumns), shift, scale, own, norm);
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

// A squared distance with its sum in another order.
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
    auto& kept = candidates.settle();
    if (kept.size() > 2 * k + 16) narrow(x, y, k, kept);
    list.clear();
    compare_kept(x, y, kept, [&](std::uint32_t row, double squared) { list.offer(squared, row); });
    list.write(values, rows);
}

double operations_of(const View<double>& x, const Panels& y) {
    return static_cast<double>(x.rows) * static_cast<double>(y.count * kPanelRows) * static_cast<double>(y.d + 2);
}

// x by rows without gaps between its columns, as y.
template <class T>
void nearest_filtered(const View<double>& x, const View<T>& y, const Panels& panels, std::size_t k, Lists out,
                      const Runtime& runtime) {
    struct Scratch : FilterScan::Scratch {
        TopK list;
        Scratch(std::size_t count, std::size_t d) : FilterScan::Scratch(count, d), list(count) {}
    };
    const auto no_limit = [](double) { return std::numeric_limits<float>::infinity(); };
    FilterScan scan(x, panels, k * 64 <= y.rows, runtime);
    if (scan.is_by_bytes()) scan.try_out(k, no_limit);
    const Stripes stripes(x.rows, scan.height());
    for_stripes(
        stripes.count(), operations_of(x, panels), runtime, [&] { return Scratch(k, panels.d); },
        [&](std::size_t s, Scratch& scratch) {
            for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += FilterScan::queries_of(panels.d)) {
                const std::size_t count = std::min(FilterScan::queries_of(panels.d), stripes.end(s) - first);
                scan.block(first, count, scratch, no_limit);
                for (std::size_t i = 0; i < count; ++i)
                    decide(&x.at(first + i, 0), y, k, scratch.candidates[i], scratch.list, out.values + (first + i) * k,
                           out.rows + (first + i) * k);
            }
        });
}

// The greatest score of a row within `radius`, a squared distance, of a query x: (radius − ‖x‖²) / 2, rounded up.
auto score_limit(double radius, const Panels& panels) {
    const double squared = radius * panels.scale * panels.scale, rounding = 1e-15 * static_cast<double>(panels.d + 8);
    return [=](double norm) {
        const double limit = (squared - norm) / 2;
        return static_cast<float>(limit + 4e-7 * std::abs(limit) + rounding * (squared + norm) + kTiny);
    };
}

template <class T>
Found within_filtered(const View<double>& x, const View<T>& y, const Panels& panels, double radius,
                      const Runtime& runtime) {
    const auto limit = score_limit(radius, panels);
    FilterScan scan(x, panels, y.rows >= 1024, runtime);
    if (scan.try_out(0, limit) > 0.125)  // comparing all costs less than the filter and its candidates
        return rows_within(Rows(x), Rows(y), pair_sums("squared", 2, 0, Form{}), radius, runtime);
    return find_all(
        x.rows, operations_of(x, panels), runtime, [&] { return FilterScan::Scratch(0, panels.d); },
        [&](std::size_t begin, std::size_t height, FilterScan::Scratch& scratch, std::vector<std::vector<Neighbour>>& lists) {
            for (std::size_t first = 0; first < height; first += FilterScan::queries_of(panels.d)) {
                const std::size_t count = std::min(FilterScan::queries_of(panels.d), height - first);
                scan.block(begin + first, count, scratch, limit);
                for (std::size_t i = 0; i < count; ++i)
                    compare_kept(&x.at(begin + first + i, 0), y, scratch.candidates[i].settle(),
                                 [&](std::uint32_t row, double squared) {
                                     if (squared <= radius) lists[first + i].push_back({squared, row});
                                 });
            }
        },
        scan.height());
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

// Refuses rows with gaps between their cells.
template <class T>
void expect_whole_rows(const Matrix<T>& y) {
    if (y.shape(1) > 1 && y.stride(1) != 1) throw nb::value_error("each row of y must stand in one piece");
}

// Refuses panels that hold more rows than there are: where there is none, half its square is NaN.
template <class Cells>
void expect_no_more(std::size_t n, const Cells& half_norm) {
    for (std::size_t i = n; i < half_norm.size(); ++i)
        if (!std::isnan(half_norm.data()[i])) throw nb::value_error("panels hold rows that are not there");
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
    m.def("nearest_filtered", [](Full<double> x, Matrix<T> y, Result<const float> cells,
                                 Result<const float> half_norm, Result<const float> longest, Input shift, double scale,
                                 std::size_t k, int threads, Output values, Result<std::int64_t> rows) {
        expect_panels(y.shape(0), y.shape(1), cells, half_norm, longest, shift);
        expect("x", x, x.shape(0) * y.shape(1));
        expect_no_more(y.shape(0), half_norm);
        expect_whole_rows(y);
        const Lists out = lists_of(values, rows, x.shape(0), k);
        const Panels panels{cells.data(), half_norm.data(), longest.data(), shift.data(),
                            scale,        longest.shape(0), y.shape(1)};
        call(threads, [&](const Runtime& r) {
            nearest_filtered(view<double>(x), view<T>(y), panels, k, out, r);
        });
    }, nb::arg("x"), nb::arg("y"), nb::arg("cells"),
       nb::arg("half_norm"), nb::arg("longest"), nb::arg("shift"), nb::arg("scale"),
       nb::arg("k"), nb::arg("threads"), nb::arg("values"), nb::arg("rows"));
    m.def("within_filtered", [](Full<double> x, Matrix<T> y, Result<const float> cells, Result<const float> half_norm,
                                Result<const float> longest, Input shift, double scale, double radius, int threads) {
        expect_panels(y.shape(0), y.shape(1), cells, half_norm, longest, shift);
        expect("x", x, x.shape(0) * y.shape(1));
        expect_no_more(y.shape(0), half_norm);
        expect_whole_rows(y);
        const Panels panels{cells.data(), half_norm.data(), longest.data(), shift.data(),
                            scale,        longest.shape(0), y.shape(1)};
        return to_python(call(threads, [&](const Runtime& r) {
            return within_filtered(view<double>(x), view<T>(y), panels, radius, r);
        }));
    }, nb::arg("x"), nb::arg("y"), nb::arg("cells"), nb::arg("half_norm"), nb::arg("longest"), nb::arg("shift"),
       nb::arg("scale"), nb::arg("radius"), nb::arg("threads"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
