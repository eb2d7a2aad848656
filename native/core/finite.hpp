// Whether cells side by side are all finite, or none is infinite.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace suffice {

// The sum of x * 0 is zero exactly when every cell is finite; many sums side by side vectorise.
template <class T>
bool all_finite(const T* cells, std::size_t count) {
    T sum[32] = {};
    std::size_t i = 0;
    for (; i + 32 <= count; i += 32)
        for (std::size_t l = 0; l < 32; ++l) sum[l] += cells[i + l] * T(0);
    for (; i < count; ++i) sum[0] += cells[i] * T(0);
    for (std::size_t l = 1; l < 32; ++l) sum[0] += sum[l];
    return sum[0] == T(0);
}

// NaN counts as good; bits are compared, since a sum would not tell it from an infinite cell.
template <class T>
bool none_infinite(const T* cells, std::size_t count) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    Bits found = 0;
    for (std::size_t i = 0; i < count; ++i) found |= Bits(std::bit_cast<Bits>(std::abs(cells[i])) == infinity);
    return found == 0;
}

}  // namespace suffice
