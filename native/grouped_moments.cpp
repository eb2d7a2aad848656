// Weighted mean and centred sum of squares of every column within every group, NaN left out, by West's update.
#include <cmath>
#include <vector>

#include "kernels.hpp"

namespace suffice {
namespace {

struct Groups {
    std::size_t cells;
    std::vector<double> row_weight, weight, mean, scatter, rows;

    Groups(std::size_t k, std::size_t d, std::size_t block)
        : cells(k * d), row_weight(k), weight(cells), mean(cells), scatter(cells), rows(block * d) {}

    void clear() {
        std::fill(row_weight.begin(), row_weight.end(), 0.0);
        std::fill(weight.begin(), weight.end(), 0.0);
        std::fill(mean.begin(), mean.end(), 0.0);
        std::fill(scatter.begin(), scatter.end(), 0.0);
    }
};

constexpr std::size_t kBlock = 128;  // rows brought into the cache at once

bool has_nan(const double* cells, std::size_t count) {
    double sum = 0;  // NaN if any cell is NaN or infinite
    for (std::size_t i = 0; i < count; ++i) sum += cells[i] * 0.0;
    return sum != 0;
}

// One complete row: all columns of the group share one weight.
inline void add_row(const double* x, std::size_t d, double w, double* weight, double* mean, double* scatter) {
    for (std::size_t j = 0; j < d; ++j) {
        weight[j] += w;
        const double delta = x[j] - mean[j];
        mean[j] += delta * (w / weight[j]);
        scatter[j] += w * delta * (x[j] - mean[j]);
    }
}

inline void add_row_with_gaps(const double* x, std::size_t d, double w, double* weight, double* mean, double* scatter) {
    for (std::size_t j = 0; j < d; ++j) {
        if (std::isnan(x[j])) continue;
        weight[j] += w;
        const double delta = x[j] - mean[j];
        mean[j] += delta * (w / weight[j]);
        scatter[j] += w * delta * (x[j] - mean[j]);
    }
}

template <class T>
void sum_stripe(const View<T>& x, const std::int64_t* group, const double* row_weight, std::size_t begin,
                std::size_t end, Groups& s) {
    s.clear();
    const std::size_t d = x.cols;
    for (std::size_t first = begin; first < end; first += kBlock) {
        const std::size_t count = std::min(kBlock, end - first);
        const double* rows = rows_as_double(x, first, count, s.rows.data());
        const bool gaps = has_nan(rows, count * d);
        for (std::size_t i = 0; i < count; ++i) {
            const double w = row_weight ? row_weight[first + i] : 1.0;
            if (w == 0) continue;
            const std::size_t g = group ? static_cast<std::size_t>(group[first + i]) : 0;
            s.row_weight[g] += w;
            auto add = gaps ? add_row_with_gaps : add_row;
            add(rows + i * d, d, w, &s.weight[g * d], &s.mean[g * d], &s.scatter[g * d]);
        }
    }
}

}  // namespace

template <class T>
void grouped_moments(const View<T>& x, const std::int64_t* group, std::size_t groups, const double* row_weight,
                     const Runtime& runtime, double* group_weight, double* weight, double* mean, double* scatter) {
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, std::max<std::size_t>(kBlock * 8, groups * 4));
    auto merge = [&](std::size_t, Groups& s) {
        for (std::size_t g = 0; g < groups; ++g) group_weight[g] += s.row_weight[g];
        for (std::size_t c = 0; c < s.cells; ++c) {
            if (s.weight[c] == 0) continue;
            const double total = weight[c] + s.weight[c], share = s.weight[c] / total;
            const double delta = s.mean[c] - mean[c];
            scatter[c] += s.scatter[c] + delta * delta * weight[c] * share;
            mean[c] += delta * share;
            weight[c] = total;
        }
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(d) * 10, runtime,
        [&] { return Groups(groups, d, kBlock); },
        [&](std::size_t k, Groups& s) { sum_stripe(x, group, row_weight, stripes.begin(k), stripes.end(k), s); },
        merge);
}

template void grouped_moments<float>(const View<float>&, const std::int64_t*, std::size_t, const double*,
                                     const Runtime&, double*, double*, double*, double*);
template void grouped_moments<double>(const View<double>&, const std::int64_t*, std::size_t, const double*,
                                      const Runtime&, double*, double*, double*, double*);

}  // namespace suffice
