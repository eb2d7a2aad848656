// Squares of kLanes × kLanes doubles, turned in registers: rows become columns.
#pragma once

#include <utility>

#include "core/simd.hpp"
#include "core/view.hpp"

namespace suffice {

// Exchanges the off-diagonal halves of all squares of 2 · half lanes.
template <int half, int... l>
inline void turn_halves(Vec (&v)[kLanes], std::integer_sequence<int, l...>) {
    for (int a = 0; a < kLanes; ++a) {
        if (a & half) continue;
        const Vec first = v[a], second = v[a + half];
        v[a] = __builtin_shufflevector(first, second, (l & half ? l - half + kLanes : l)...);
        v[a + half] = __builtin_shufflevector(first, second, (l & half ? l + kLanes : l + half)...);
    }
}

inline void turn(Vec (&v)[kLanes]) {
    constexpr std::make_integer_sequence<int, kLanes> kAll;
    turn_halves<1>(v, kAll);
    if constexpr (kLanes > 2) turn_halves<2>(v, kAll);
    if constexpr (kLanes > 4) turn_halves<4>(v, kAll);
}

template <class T>
inline Vec load_doubles(const T* p) {
    typedef T Cells __attribute__((vector_size(kLanes * sizeof(T))));
    Cells cells;
    std::memcpy(&cells, p, sizeof cells);
    return __builtin_convertvector(cells, Vec);
}

// Copies rows [first, first + count) to `out` column by column, which lie `ld` apart.
template <class T>
void copy_columns(const View<T>& x, std::size_t first, std::size_t count, double* out, std::size_t ld) {
    std::size_t turned = 0;  // rows that are done
    for (; x.col_stride == 1 && x.row_stride != 1 && turned + kLanes <= count; turned += kLanes) {
        std::size_t j = 0;
        for (; j + kLanes <= x.cols; j += kLanes) {
            Vec square[kLanes];
            for (std::size_t l = 0; l < kLanes; ++l) square[l] = load_doubles(&x.at(first + turned + l, j));
            turn(square);
            for (std::size_t l = 0; l < kLanes; ++l) store(out + (j + l) * ld + turned, square[l]);
        }
        for (; j < x.cols; ++j)
            for (std::size_t l = 0; l < kLanes; ++l)
                out[j * ld + turned + l] = static_cast<double>(x.at(first + turned + l, j));
    }
    for (std::size_t j = 0; j < x.cols && turned < count; ++j)
        for (std::size_t i = turned; i < count; ++i) out[j * ld + i] = static_cast<double>(x.at(first + i, j));
}

}  // namespace suffice
