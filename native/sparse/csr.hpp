// The rows of a CSR matrix, and their products with a few columns.
#pragma once

#include <cstddef>

#include "core/simd.hpp"

namespace suffice {

template <class T, class I>
struct Csr {
    const T* data;
    const I* indices;
    const I* starts;  // where each row begins, and the end of the last
    std::size_t rows;
};

// sum[0 .. W) = the products of one row with W vectors of columns of the matrix, whose rows are `width` apart.
template <int W, class T, class I>
void multiply_row(const Csr<T, I>& x, std::size_t i, const double* matrix, std::size_t width, double* sum) {
    constexpr I kAhead = 8;  // cells: a row of the matrix is fetched before it is used
    Vec total[W] = {};
    const I end = x.starts[i + 1];
    for (I p = x.starts[i]; p < end; ++p) {
        if (p + kAhead < end) __builtin_prefetch(matrix + static_cast<std::size_t>(x.indices[p + kAhead]) * width);
        const double* row = matrix + static_cast<std::size_t>(x.indices[p]) * width;
        const Vec cell = broadcast(static_cast<double>(x.data[p]));
        for (int v = 0; v < W; ++v) total[v] += cell * load(row + v * kLanes);
    }
    for (int v = 0; v < W; ++v) store(sum + v * kLanes, total[v]);
}

template <class T, class I>
void multiply_whole_row(const Csr<T, I>& x, std::size_t i, const double* matrix, std::size_t width, double* sum) {
    std::size_t c = 0;
    for (; c + 4 * kLanes <= width; c += 4 * kLanes) multiply_row<4>(x, i, matrix + c, width, sum + c);
    switch ((width - c) / kLanes) {
        case 3: return multiply_row<3>(x, i, matrix + c, width, sum + c);
        case 2: return multiply_row<2>(x, i, matrix + c, width, sum + c);
        case 1: return multiply_row<1>(x, i, matrix + c, width, sum + c);
    }
}

}  // namespace suffice
