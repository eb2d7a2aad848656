// Whether cells side by side are all finite.
#pragma once

#include <cstddef>

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

}  // namespace suffice
