// One number from each row: the product of the row, less a shift, with one column of coefficients.
#pragma once

#include "core/transpose.hpp"

namespace suffice {

// What is multiplied: coefficients (d), what each column is less before (d; null for nothing), what a sum begins with.
struct Coefficients {
    const double* slope;
    const double* shift;
    double offset;

    double less(std::size_t j) const { return shift ? shift[j] : 0; }
};

constexpr int kDotRows = 4;  // rows that share a load of the coefficients

// Rows whose cells follow one another: vectors along the row.
template <int R, bool kShifted, class T>
void dot_along(const View<T>& x, std::size_t first, const Coefficients& c, T* out) {
    Vec sum[R] = {};
    const T* row[R];
    for (int r = 0; r < R; ++r) row[r] = &x.at(first + r, 0);
    std::size_t j = 0;
    for (; j + kLanes <= x.cols; j += kLanes) {
        const Vec slope = load(c.slope + j);
        for (int r = 0; r < R; ++r) {
            const Vec cells = load_doubles(row[r] + j);
            sum[r] += (kShifted ? cells - load(c.shift + j) : cells) * slope;
        }
    }
    for (int r = 0; r < R; ++r) {
        double total = sum_lanes(sum[r]);
        for (std::size_t l = j; l < x.cols; ++l) total += (static_cast<double>(row[r][l]) - c.less(l)) * c.slope[l];
        out[r] = static_cast<T>(total + c.offset);
    }
}

template <bool kShifted, class T>
void dot_long_rows(const View<T>& x, std::size_t first, std::size_t count, const Coefficients& c, T* out) {
    std::size_t i = 0;
    for (; i + kDotRows <= count; i += kDotRows) dot_along<kDotRows, kShifted>(x, first + i, c, out + i);
    for (; i < count; ++i) dot_along<1, kShifted>(x, first + i, c, out + i);
}

// D cells of each row, `step` numbers after those of the row before, added to the sums: vectors of rows.
template <int D, class T>
void add_products(const T* const (&cell)[D], std::ptrdiff_t step, std::size_t count, const double* slope,
                  const double* shift, double* sum) {
    for (std::size_t i = 0; i < count; ++i) {
        double total = sum[i];
        for (int j = 0; j < D; ++j) total += (static_cast<double>(cell[j][static_cast<std::ptrdiff_t>(i) * step]) - shift[j]) * slope[j];
        sum[i] = total;
    }
}

constexpr int kTogether = 4;  // columns added at once, for each time that the sums are read and written

// All other rows: short ones, and those of tables that lie column by column; `sum` has room for `count` numbers.
template <class T>
void dot_across(const View<T>& x, std::size_t first, std::size_t count, const Coefficients& c, double* sum, T* out) {
    std::fill_n(sum, count, c.offset);
    std::size_t j = 0;
    auto add = [&]<int D>(std::integral_constant<int, D>) {
        const T* cell[D];
        double slope[D], shift[D];
        for (int l = 0; l < D; ++l) {
            cell[l] = &x.at(first, j + l);
            slope[l] = c.slope[j + l];
            shift[l] = c.less(j + l);
        }
        // A step the compiler knows is one it has vector instructions for.
        if (x.row_stride == 1) add_products<D>(cell, 1, count, slope, shift, sum);
        else if (x.row_stride == D) add_products<D>(cell, D, count, slope, shift, sum);
        else add_products<D>(cell, x.row_stride, count, slope, shift, sum);
        j += D;
    };
    while (j + kTogether <= x.cols) add(std::integral_constant<int, kTogether>{});
    while (j < x.cols) add(std::integral_constant<int, 1>{});
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(sum[i]);
}

// out[i] = offset + Σⱼ (xᵢⱼ − shiftⱼ) slopeⱼ for rows [first, first + count).
template <class T>
void dot_rows(const View<T>& x, std::size_t first, std::size_t count, const Coefficients& c, double* sum, T* out) {
    if (x.col_stride != 1 || x.cols < kLanes) return dot_across(x, first, count, c, sum, out);
    if (c.shift) return dot_long_rows<true>(x, first, count, c, out);
    dot_long_rows<false>(x, first, count, c, out);
}

}  // namespace suffice
