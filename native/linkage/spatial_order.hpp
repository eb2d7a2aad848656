// Rows put into an order in which neighbours tend to stand together: halved again and again along the widest column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace suffice {

// The column in which the points order[from, to) spread most; `points` are rows of d.
inline std::size_t widest_column(const double* points, std::size_t d, const std::size_t* order, std::size_t count) {
    std::size_t best = 0;
    double spread = -1;
    for (std::size_t j = 0; j < d; ++j) {
        double low = points[order[0] * d + j], high = low;
        for (std::size_t i = 1; i < count; ++i) {
            low = std::min(low, points[order[i] * d + j]);
            high = std::max(high, points[order[i] * d + j]);
        }
        if (high - low > spread) {
            spread = high - low;
            best = j;
        }
    }
    return best;
}

// Parts get a multiple of `least` rows, so that every part but the last is full.
inline void halve(const double* points, std::size_t d, std::size_t* order, std::size_t count, std::size_t least) {
    if (count <= least) return;
    const std::size_t left = (count / 2 + least - 1) / least * least;
    const std::size_t j = widest_column(points, d, order, count);
    std::nth_element(order, order + left, order + count, [=](std::size_t a, std::size_t b) {
        const double x = points[a * d + j], y = points[b * d + j];
        return x < y || (x == y && a < b);
    });
    halve(points, d, order, left, least);
    halve(points, d, order + left, count - left, least);
}

inline std::vector<std::size_t> spatial_order(const double* points, std::size_t n, std::size_t d, std::size_t least) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    halve(points, d, order.data(), n, least);
    return order;
}

}  // namespace suffice
