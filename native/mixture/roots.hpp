// Roots of symmetric matrices and their inverses, row by row, so that the lanes of a vector are columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/simd.hpp"

namespace suffice {

inline constexpr std::size_t kRows = 4;  // of a matrix taken at once: one load of the other row serves all

// out = a · row of each of `rows`, which lie d apart, over the first n columns.
inline void dots(const double* a, const double* rows, std::size_t d, std::size_t n, double (&out)[kRows]) {
    Vec sum[kRows] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const Vec left = load(a + i);
        for (std::size_t r = 0; r < kRows; ++r) sum[r] += left * load(rows + r * d + i);
    }
    for (std::size_t r = 0; r < kRows; ++r) {
        double rest = 0;
        for (std::size_t l = i; l < n; ++l) rest += a[l] * rows[r * d + l];
        out[r] = i ? sum_lanes(sum[r]) + rest : rest;
    }
}

inline double dot(const double* a, const double* b, std::size_t n) {
    double out[kRows];
    dots(a, b, 0, n, out);
    return out[0];
}

// The lower root of a symmetric positive matrix (d, d) in place; false where it has none.
inline bool root_of(double* a, std::size_t d) {
    for (std::size_t i = 0; i < d; ++i) {
        double *row = a + i * d, sums[kRows];
        std::size_t j = 0;
        for (; j + kRows <= i; j += kRows) {
            dots(row, a + j * d, d, j, sums);
            for (std::size_t r = 0; r < kRows; ++r) {
                const double* other = a + (j + r) * d;
                for (std::size_t l = j; l < j + r; ++l) sums[r] += row[l] * other[l];
                row[j + r] = (row[j + r] - sums[r]) / other[j + r];
            }
        }
        for (; j < i; ++j) row[j] = (row[j] - dot(row, a + j * d, j)) / a[j * d + j];
        const double square = row[i] - dot(row, row, i);
        if (!(square > 0)) return false;
        row[i] = std::sqrt(square);
    }
    return true;
}

// The inverse of a lower triangle (d, d); `out` must hold zeros.
inline void invert_lower(const double* a, std::size_t d, double* out) {
    for (std::size_t i = 0; i < d; ++i) {
        double* row = out + i * d;
        for (std::size_t l = 0; l < i; l += kRows) {
            const std::size_t count = std::min(kRows, i - l);
            double factor[kRows] = {};
            const double* above[kRows];
            for (std::size_t r = 0; r < kRows; ++r) above[r] = out + (l + std::min(r, count - 1)) * d;
            for (std::size_t r = 0; r < count; ++r) factor[r] = a[i * d + l + r];
            for (std::size_t j = 0; j < l + count; ++j)  // what is above the diagonal is zero
                row[j] -= (factor[0] * above[0][j] + factor[1] * above[1][j]) +
                          (factor[2] * above[2][j] + factor[3] * above[3][j]);
        }
        for (std::size_t j = 0; j < i; ++j) row[j] /= a[i * d + i];
        row[i] = 1 / a[i * d + i];
    }
}

// out = wᵀ w, the lower triangle, of a lower triangle w (d, d) with zeros above.
inline void gram_of_lower(const double* w, std::size_t d, double* out) {
    constexpr std::size_t kColumns = 2 * kLanes;
    std::vector<double> panel(d * kColumns);  // some columns of w, side by side
    for (std::size_t j = 0; j < d; j += kColumns) {
        const std::size_t columns = std::min(kColumns, d - j);
        for (std::size_t l = j; l < d; ++l) std::copy_n(w + l * d + j, columns, &panel[l * kColumns]);
        for (std::size_t i = j; i < d; i += kRows) {
            Vec sum[kRows][2] = {};
            const std::size_t rows = std::min(kRows, d - i);
            for (std::size_t l = i; l < d; ++l) {
                const Vec left = load(&panel[l * kColumns]), right = load(&panel[l * kColumns + kLanes]);
                for (std::size_t r = 0; r < kRows; ++r) {
                    const double factor = w[l * d + i + std::min(r, rows - 1)];
                    sum[r][0] += left * factor;
                    sum[r][1] += right * factor;
                }
            }
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < columns && j + c <= i + r; ++c)
                    out[(i + r) * d + j + c] = sum[r][c / kLanes][c % kLanes];
        }
    }
}

}  // namespace suffice
