// A matrix somebody else owns, with any strides, read row by row as doubles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suffice {

template <class T>
struct View {
    const T* data;
    std::size_t rows, cols;
    std::ptrdiff_t row_stride, col_stride;  // in elements

    const T& at(std::size_t i, std::size_t j) const {
        return data[static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * col_stride];
    }
};

// Copies rows [first, first + count) to `out`, row-major, `width` apart; follows the memory order of the source.
template <class T>
void copy_rows(const View<T>& x, std::size_t first, std::size_t count, double* out, std::size_t width) {
    if (x.cols == 0) return;
    if (x.col_stride == 1) {
        for (std::size_t i = 0; i < count; ++i) {
            const T* row = &x.at(first + i, 0);
            for (std::size_t j = 0; j < x.cols; ++j) out[i * width + j] = static_cast<double>(row[j]);
        }
    } else {
        for (std::size_t j = 0; j < x.cols; ++j)
            for (std::size_t i = 0; i < count; ++i) out[i * width + j] = static_cast<double>(x.at(first + i, j));
    }
}

// Rows [first, first + count) as row-major doubles: the source itself where it has that form, else a copy.
template <class T>
const double* rows_as_double(const View<T>& x, std::size_t first, std::size_t count, double* scratch) {
    if constexpr (sizeof(T) == sizeof(double)) {
        if (x.col_stride == 1 && x.row_stride == static_cast<std::ptrdiff_t>(x.cols)) return &x.at(first, 0);
    }
    copy_rows(x, first, count, scratch, x.cols);
    return scratch;
}

}  // namespace suffice
