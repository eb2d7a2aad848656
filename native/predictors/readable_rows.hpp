// Rows of a table as doubles that can be read in whole vectors.
//
// Those that lie one after the other are read in place, up to a vector's width beyond their end, where the slopes are
// 0; those that end with the table, or have another form, are copied first.
#pragma once

#include <vector>

#include "core/view.hpp"

namespace suffice {

struct Rows {
    const double* data;
    std::size_t stride;
};

// Rows as doubles that can be read to a whole number of vectors.
template <class T>
Rows readable(const View<T>& x, std::size_t first, std::size_t count, std::size_t width, std::vector<double>& room) {
    if constexpr (sizeof(T) == sizeof(double)) {
        const auto stride = static_cast<std::size_t>(x.row_stride);
        const bool by_rows = x.col_stride == 1 && x.row_stride >= static_cast<std::ptrdiff_t>(x.cols);
        if (by_rows && (first + count - 1) * stride + width <= (x.rows - 1) * stride + x.cols)
            return {&x.at(first, 0), stride};
    }
    copy_rows(x, first, count, room.data(), width);
    return {room.data(), width};
}

}  // namespace suffice
