// Distances that are sums over columns: squares or absolute differences of numbers, mismatches of category codes.
//
// A cell that is NaN, in the row or in the centre, adds nothing. The first `numbers` columns are numbers, the others
// codes, of which each that differs adds `gamma`. A vector holds as many centres as fit; four rows share its loads.
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 64;  // rows brought into the cache at once
constexpr int kRows = 4;            // rows that share a load of the centres

struct Squared {
    Vec operator()(Vec x, Vec c) const {
        const Vec step = x - c, term = step * step;
        return term == term ? term : Vec{};
    }
};

struct Absolute {
    Vec operator()(Vec x, Vec c) const {
        const Vec step = x - c;
        return step > 0 ? step : (step < 0 ? -step : Vec{});
    }
};

struct Mismatch {
    Vec gamma;
    Vec operator()(Vec x, Vec c) const { return x < c ? gamma : (x > c ? gamma : Vec{}); }
};

// The centres by column, padded to whole vectors, and how columns are compared.
struct Centres {
    std::size_t k, d, numbers, width;
    bool squared;
    double gamma;
    std::vector<double> by_column;  // (d, width)

    Centres(const double* centres, std::size_t rows, std::size_t cols, std::size_t m, bool square, double mismatch)
        : k(rows), d(cols), numbers(m), width(round_up(rows, kLanes)), squared(square), gamma(mismatch),
          by_column(cols * width) {
        for (std::size_t c = 0; c < k; ++c)
            for (std::size_t j = 0; j < d; ++j) by_column[j * width + c] = centres[c * d + j];
    }
};

template <int R, class Term>
void add_columns(const double* rows, std::size_t d, std::size_t from, std::size_t to, const double* centres,
                 std::size_t width, Term term, Vec* sum) {
    for (std::size_t j = from; j < to; ++j) {
        const Vec c = load(centres + j * width);
        for (int r = 0; r < R; ++r) sum[r] += term(broadcast(rows[r * d + j]), c);
    }
}

// out[R, width] = the distances of R rows from all centres
template <int R>
void distances(const double* rows, const Centres& c, double* out) {
    for (std::size_t first = 0; first < c.width; first += kLanes) {
        const double* centres = c.by_column.data() + first;
        Vec sum[R] = {};
        if (c.squared)
            add_columns<R>(rows, c.d, 0, c.numbers, centres, c.width, Squared{}, sum);
        else
            add_columns<R>(rows, c.d, 0, c.numbers, centres, c.width, Absolute{}, sum);
        add_columns<R>(rows, c.d, c.numbers, c.d, centres, c.width, Mismatch{broadcast(c.gamma)}, sum);
        for (int r = 0; r < R; ++r) store(out + r * c.width + first, sum[r]);
    }
}

// Calls use(row number, its k distances) for every row.
template <class T, class Use>
void for_rows(const View<T>& x, const Centres& centres, const Runtime& runtime, Use use) {
    const std::size_t d = x.cols, width = centres.width;
    const Stripes stripes(x.rows, kBlock * 4);
    struct Scratch {
        std::vector<double> rows, found;
    };
    auto work = [&](std::size_t s, Scratch& scratch) {
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(s) - first);
            const double* rows = rows_as_double(x, first, count, scratch.rows.data());
            double* found = scratch.found.data();
            std::size_t i = 0;
            for (; i + kRows <= count; i += kRows) distances<kRows>(rows + i * d, centres, found + i * width);
            for (; i < count; ++i) distances<1>(rows + i * d, centres, found + i * width);
            for (i = 0; i < count; ++i) use(first + i, found + i * width);
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(d * width) * 2;
    reduce_stripes(
        stripes.count(), operations, runtime,
        [&] { return Scratch{std::vector<double>(kBlock * d), std::vector<double>(kBlock * width)}; }, work,
        [](std::size_t, Scratch&) {});
}

void expect_numbers(std::size_t numbers, std::size_t columns) {
    if (numbers > columns) throw nb::value_error("there are fewer columns than numbers");
}

template <class T>
void bind(nb::module_& m) {
    m.def("column_nearest", [](Matrix<T> x, Input centres, std::size_t k, std::size_t numbers, bool squared,
                               double gamma, int threads, Result<std::int64_t> label, Output distance) {
        expect("centres", centres, k * x.shape(1));
        expect_numbers(numbers, x.shape(1));
        if (k == 0) throw nb::value_error("there is no centre");
        expect("label", label, x.shape(0));
        expect("distance", distance, x.shape(0));
        const Centres c(centres.data(), k, x.shape(1), numbers, squared, gamma);
        std::int64_t* labels = label.data();
        double* nearest = distance.data();
        call(threads, [&](const Runtime& r) {
            for_rows<T>(view<T>(x), c, r, [&](std::size_t i, const double* found) {
                std::size_t best = 0;
                for (std::size_t g = 1; g < k; ++g) best = found[g] < found[best] ? g : best;
                labels[i] = static_cast<std::int64_t>(best);
                nearest[i] = found[best];
            });
        });
    }, nb::arg("x"), nb::arg("centres"), nb::arg("k"), nb::arg("numbers"), nb::arg("squared"),
       nb::arg("gamma"), nb::arg("threads"), nb::arg("label"), nb::arg("distance"));

    m.def("column_distances", [](Matrix<T> x, Input centres, std::size_t k, std::size_t numbers, bool squared,
                                 double gamma, int threads, Output out) {
        expect("centres", centres, k * x.shape(1));
        expect_numbers(numbers, x.shape(1));
        expect("out", out, x.shape(0) * k);
        const Centres c(centres.data(), k, x.shape(1), numbers, squared, gamma);
        double* all = out.data();
        call(threads, [&](const Runtime& r) {
            for_rows<T>(view<T>(x), c, r,
                        [&](std::size_t i, const double* found) { std::copy_n(found, k, all + i * k); });
        });
    }, nb::arg("x"), nb::arg("centres"), nb::arg("k"), nb::arg("numbers"), nb::arg("squared"),
       nb::arg("gamma"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
