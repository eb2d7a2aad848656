// The nearest rows of each query by any distance that is a sum over columns: all are compared, none are kept.
//
// Blocks of queries meet panels of rows; of a tile of distances only what is near enough enters a list.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "core/lane_bits.hpp"
#include "neighbors/all_rows.hpp"
#include "neighbors/neighbours.hpp"
#include "distances/pair_sums.hpp"

namespace suffice {
namespace {

constexpr std::size_t kQueries = 32;  // in the cache at once

// Calls take(query, row, value) for what lies within limit(query) of each query, panel by panel, so rows come in order.
template <class Limit, class Take>
void compare(const double* queries, std::size_t count, std::size_t d, const std::vector<double>& panels, std::size_t n,
             const PairSums& sums, Limit limit, Take take) {
    double values[kQueries * kPanel];
    for (std::size_t p = 0; p * kPanel < n; ++p) {
        sums.panel(queries, count, d, panels.data() + p * kPanel * d, values);
        const unsigned there = (1u << std::min(kPanel, n - p * kPanel)) - 1;
        for (std::size_t i = 0; i < count; ++i) {
            const Vec most = broadcast(limit(i));
            unsigned some = 0;
            for (int v = 0; v < kVectors; ++v) some |= at_most(load(values + i * kPanel + v * kLanes), most) << (v * kLanes);
            for (some &= there; some != 0; some &= some - 1) {
                const auto c = static_cast<std::size_t>(__builtin_ctz(some));
                take(i, static_cast<std::int64_t>(p * kPanel + c), values[i * kPanel + c]);
            }
        }
    }
}

void nearest_rows(const Rows& x, const Rows& y, const PairSums& sums, std::size_t k, Lists out, const Runtime& runtime) {
    const std::size_t d = x.cols;
    const std::vector<double> panels = packed(y);
    const Stripes stripes(x.rows, kQueries);
    struct Scratch {
        std::vector<double> rows;
        std::vector<TopK> lists;
    };
    auto work = [&](std::size_t s, Scratch& scratch) {
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kQueries) {
            const std::size_t count = std::min(kQueries, stripes.end(s) - first);
            x.copy(first, count, scratch.rows.data());
            for (TopK& list : scratch.lists) list.clear();
            compare(
                scratch.rows.data(), count, d, panels, y.rows, sums,
                [&](std::size_t i) { return scratch.lists[i].worst().value; },
                [&](std::size_t i, std::int64_t row, double value) {
                    if (value < scratch.lists[i].worst().value) scratch.lists[i].offer(value, row);  // not infinite ones
                });
            for (std::size_t i = 0; i < count; ++i)
                scratch.lists[i].write(out.values + (first + i) * k, out.rows + (first + i) * k);
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(y.rows) * static_cast<double>(2 * d + 4);
    reduce_stripes(
        stripes.count(), operations, runtime,
        [&] { return Scratch{std::vector<double>(kQueries * d), std::vector<TopK>(kQueries, TopK(k))}; }, work,
        [](std::size_t, Scratch&) {});
}

}  // namespace

Found rows_within(const Rows& x, const Rows& y, const PairSums& sums, double radius, const Runtime& runtime) {
    const std::size_t d = x.cols;
    const std::vector<double> panels = packed(y);
    const double operations = static_cast<double>(x.rows) * static_cast<double>(y.rows) * static_cast<double>(2 * d + 4);
    return find_all(
        x.rows, operations, runtime, [&] { return std::vector<double>(kQueries * d); },
        [&](std::size_t begin, std::size_t height, std::vector<double>& rows, std::vector<std::vector<Neighbour>>& lists) {
            for (std::size_t first = 0; first < height; first += kQueries) {
                const std::size_t count = std::min(kQueries, height - first);
                x.copy(begin + first, count, rows.data());
                compare(
                    rows.data(), count, d, panels, y.rows, sums, [&](std::size_t) { return radius; },
                    [&](std::size_t i, std::int64_t row, double value) { lists[first + i].push_back({value, row}); });
            }
        });
}

namespace {

template <class T>
void bind(nb::module_& m) {
    m.def("nearest_rows", [](Matrix<double> x, Matrix<T> y, const std::string& kind, double p, std::size_t numbers,
                             Optional<Input> weight, double scale, std::size_t k, int threads, Output values,
                             Result<std::int64_t> rows) {
        expect("x", x, x.shape(0) * y.shape(1));
        expect("weight", weight, y.shape(1));
        const Rows queries(view<double>(x)), all(view<T>(y));
        const PairSums sums = pair_sums(kind, p, numbers, make_form("none", p, pointer(weight), scale));
        const Lists out = lists_of(values, rows, x.shape(0), k);
        call(threads, [&](const Runtime& r) { nearest_rows(queries, all, sums, k, out, r); });
    }, nb::arg("x"), nb::arg("y"), nb::arg("kind"), nb::arg("p"), nb::arg("numbers"),
       nb::arg("weight").none(), nb::arg("scale"), nb::arg("k"), nb::arg("threads"), nb::arg("values"),
       nb::arg("rows"));
    m.def("rows_within", [](Matrix<double> x, Matrix<T> y, const std::string& kind, double p, std::size_t numbers,
                            Optional<Input> weight, double scale, double radius, int threads) {
        expect("x", x, x.shape(0) * y.shape(1));
        expect("weight", weight, y.shape(1));
        const Rows queries(view<double>(x)), all(view<T>(y));
        const PairSums sums = pair_sums(kind, p, numbers, make_form("none", p, pointer(weight), scale));
        return to_python(call(threads, [&](const Runtime& r) { return rows_within(queries, all, sums, radius, r); }));
    }, nb::arg("x"), nb::arg("y"), nb::arg("kind"), nb::arg("p"), nb::arg("numbers"),
       nb::arg("weight").none(), nb::arg("scale"), nb::arg("radius"), nb::arg("threads"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
