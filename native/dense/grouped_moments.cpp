// Weighted mean and centred sum of squares of every column within every group, NaN left out, by West's update.
//
// Until a stripe meets its first gap, all columns of a group have the same weight, and one division serves the
// whole row; from then on every cell has a weight of its own.
#include <cmath>
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 128;  // rows brought into the cache at once

struct Groups {
    std::size_t groups, columns;
    bool complete = true;  // no gap so far: `weight` is not kept yet
    std::vector<double> row_weight, weight, mean, scatter, rows;

    Groups(std::size_t k, std::size_t d)
        : groups(k), columns(d), row_weight(k), weight(k * d), mean(k * d), scatter(k * d), rows(kBlock * d) {}

    void clear() {
        complete = true;
        for (auto* sums : {&row_weight, &mean, &scatter}) std::fill(sums->begin(), sums->end(), 0.0);
    }

    void keep_weight_of_cells() {
        if (!complete) return;
        complete = false;
        for (std::size_t g = 0; g < groups; ++g)
            std::fill_n(weight.begin() + static_cast<std::ptrdiff_t>(g * columns), columns, row_weight[g]);
    }
};

bool has_nan(const double* cells, std::size_t count) {
    double sum[16] = {};  // NaN if any cell is NaN or infinite
    std::size_t i = 0;
    for (; i + 16 <= count; i += 16)
        for (std::size_t l = 0; l < 16; ++l) sum[l] += cells[i + l] * 0.0;
    for (; i < count; ++i) sum[0] += cells[i] * 0.0;
    for (std::size_t l = 1; l < 16; ++l) sum[0] += sum[l];
    return sum[0] != 0;
}

// `share` is the row's weight over that of its group, the row included.
inline void add_complete_row(const double* __restrict x, std::size_t d, double w, double share,
                             double* __restrict mean, double* __restrict scatter) {
    for (std::size_t j = 0; j < d; ++j) {
        const double delta = x[j] - mean[j];
        const double moved = mean[j] + delta * share;
        mean[j] = moved;
        scatter[j] += w * delta * (x[j] - moved);
    }
}

inline void add_row_with_gaps(const double* x, std::size_t d, double w, double* weight, double* mean,
                              double* scatter) {
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
        if (has_nan(rows, count * d)) s.keep_weight_of_cells();
        for (std::size_t i = 0; i < count; ++i) {
            const double w = row_weight ? row_weight[first + i] : 1.0;
            if (w == 0) continue;
            const std::size_t g = group ? static_cast<std::size_t>(group[first + i]) : 0;
            s.row_weight[g] += w;
            if (s.complete)
                add_complete_row(rows + i * d, d, w, w / s.row_weight[g], &s.mean[g * d], &s.scatter[g * d]);
            else
                add_row_with_gaps(rows + i * d, d, w, &s.weight[g * d], &s.mean[g * d], &s.scatter[g * d]);
        }
    }
    s.keep_weight_of_cells();
}

// for each group and column the weight, mean and centred sum of squares, (k, d) each, of the
// cells that are not NaN; group_weight (k) counts all rows. A null `group` puts all rows into group 0.
template <class T>
void grouped_moments(const View<T>& x, const std::int64_t* group, std::size_t groups, const double* row_weight,
                     const Runtime& runtime, double* group_weight, double* weight, double* mean, double* scatter) {
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, std::max<std::size_t>(kBlock * 8, groups * 4));
    auto merge = [&](std::size_t, Groups& s) {
        for (std::size_t g = 0; g < groups; ++g) group_weight[g] += s.row_weight[g];
        for (std::size_t c = 0; c < groups * d; ++c) {
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
        [&] { return Groups(groups, d); },
        [&](std::size_t k, Groups& s) { sum_stripe(x, group, row_weight, stripes.begin(k), stripes.end(k), s); },
        merge);
}

template <class T>
void bind(nb::module_& m) {
    m.def("grouped_moments", [](Matrix<T> x, Optional<Codes> group, std::size_t groups, Optional<Input> weights, int threads,
                                Output group_weight, Output weight, Output mean, Output scatter) {
        const std::size_t cells = groups * x.shape(1);
        expect("group", group, x.shape(0));
        expect_below("group", group, groups, 0, threads);
        expect("weights", weights, x.shape(0));
        expect("group_weight", group_weight, groups);
        expect("weight", weight, cells);
        expect("mean", mean, cells);
        expect("scatter", scatter, cells);
        const double* w = pointer(weights);
        const std::int64_t* g = pointer(group);
        call(threads, [&](const Runtime& r) {
            grouped_moments<T>(view<T>(x), g, groups, w, r, group_weight.data(), weight.data(), mean.data(),
                               scatter.data());
        });
    }, nb::arg("x"), nb::arg("group").none(), nb::arg("groups"), nb::arg("weights").none(),
       nb::arg("threads"), nb::arg("group_weight"), nb::arg("weight"), nb::arg("mean"), nb::arg("scatter"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
