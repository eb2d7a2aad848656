// Weight, mean and centred sum of squares of one column, in one pass over memory: blocks that stay in the first cache
// are centred by their own means, and merged.
#include <vector>

#include "core/binding.hpp"
#include "core/vectors.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 2048;  // cells

struct ColumnSums {
    double weight = 0, mean = 0, squares = 0;

    void merge(const ColumnSums& other) {
        const double total = weight + other.weight;
        if (!(total > 0)) {
            mean += other.mean;  // NaN of a bad cell that weighs nothing shows
            return;
        }
        const double step = other.mean - mean, share = other.weight / total;
        mean += step * share;
        squares += other.squares + step * step * weight * share;
        weight = total;
    }
};

// Of `count` cells; weight may be null.
ColumnSums sums_of(const double* x, const double* weight, std::size_t count) {
    ColumnSums own;
    auto add_up = [&](double mean, double& squares) {  // the weighted sum of the cells less `mean`
        Vec sum[4] = {}, square[4] = {};
        auto add = [&](int lane, Vec cells, Vec w) {
            const Vec z = cells - mean, wz = weight ? w * z : z;
            sum[lane] += wz;
            square[lane] += wz * z;
        };
        std::size_t i = 0;
        for (; i + 4 * kLanes <= count; i += 4 * kLanes)
            for (int l = 0; l < 4; ++l) {
                const std::size_t at = i + static_cast<std::size_t>(l) * kLanes;
                add(l, load(x + at), weight ? load(weight + at) : Vec{});
            }
        double total = sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
        squares = sum_lanes((square[0] + square[1]) + (square[2] + square[3]));
        for (; i < count; ++i) {
            const double z = x[i] - mean, wz = weight ? weight[i] * z : z;
            total += wz;
            squares += wz * z;
        }
        return total;
    };
    own.weight = static_cast<double>(count);
    if (weight) {
        own.weight = 0;
        for (std::size_t i = 0; i < count; ++i) own.weight += weight[i];
    }
    const double sum = add_up(0, own.squares);
    if (!(own.weight > 0)) return {0, sum * 0, 0};
    own.mean = sum / own.weight;
    const double rest = add_up(own.mean, own.squares) / own.weight;  // what rounding left of the mean
    own.mean += rest;
    own.squares -= rest * rest * own.weight;
    return own;
}

template <class T>
void moments_of_column(const View<T>& x, const double* weight, const Runtime& runtime, double* out) {
    struct Scratch {
        std::vector<double> cells;
        ColumnSums sums;
    };
    const Stripes stripes(x.rows, 4 * kBlock);
    ColumnSums all;
    reduce_stripes(
        stripes.count(), 2.0 * static_cast<double>(x.rows), runtime,
        [&] { return Scratch{std::vector<double>(kBlock), {}}; },
        [&](std::size_t s, Scratch& scratch) {
            scratch.sums = {};
            for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kBlock) {
                const std::size_t count = std::min(kBlock, stripes.end(s) - first);
                const double* cells = rows_as_double(x, first, count, scratch.cells.data());
                scratch.sums.merge(sums_of(cells, weight ? weight + first : nullptr, count));
            }
        },
        [&](std::size_t, Scratch& scratch) { all.merge(scratch.sums); });
    out[0] = all.weight;
    out[1] = all.mean;
    out[2] = std::max(all.squares, 0.0 * all.squares);  // not below 0 by rounding; NaN stays
}

template <class T>
void bind(nb::module_& m) {
    m.def("moments_of_column", [](Matrix<T> x, Optional<Input> weight, int threads, Output out) {
        if (x.shape(1) != 1) throw nb::value_error("x must have one column");
        expect("weight", weight, x.shape(0));
        expect("out", out, 3);
        const double* w = pointer(weight);
        call(threads, [&](const Runtime& r) { moments_of_column<T>(view<T>(x), w, r, out.data()); });
    }, nb::arg("x"), nb::arg("weight").none(), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
