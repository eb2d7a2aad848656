// The two steps of k-means++: what each candidate would save, and taking one of them in.
//
// A candidate at least twice as far from a row's centre as the row is cannot be nearer to the row (triangle
// inequality), so most rows are not read once a few centres stand.
#include <vector>

#include "binding.hpp"
#include "nearest.hpp"

namespace suffice {
namespace {

constexpr double kSlack = 1 + 1e-9;

struct Seeds {
    double* squared;        // (n) to the nearest centre so far
    std::int32_t* nearest;  // (n) which one that is
    const double* limit;    // (candidates, centres so far): a quarter of their squared distance
    std::size_t centres;

    bool cannot_help(std::size_t i, std::size_t candidate) const {
        return centres && squared[i] * kSlack <= limit[candidate * centres + static_cast<std::size_t>(nearest[i])];
    }
};

// potential (c): Σ w min(squared, distance to the candidate).
template <class T>
void seed_potentials(const View<T>& x, const double* row_weight, const double* candidates, std::size_t c,
                     const Seeds& seeds, const Runtime& runtime, double* potential) {
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, 1024);
    struct Scratch {
        std::vector<double> row, saved;
    };
    auto work = [&](std::size_t stripe, Scratch& s) {
        std::fill(s.saved.begin(), s.saved.end(), 0.0);
        for (std::size_t i = stripes.begin(stripe); i < stripes.end(stripe); ++i) {
            const double w = row_weight ? row_weight[i] : 1.0, now = seeds.squared[i];
            const double* row = nullptr;
            for (std::size_t j = 0; j < c; ++j) {
                double then = now;
                if (!seeds.cannot_help(i, j)) {
                    if (!row) row = rows_as_double(x, i, 1, s.row.data());
                    then = std::min(now, squared_distance(row, candidates + j * d, d));
                }
                s.saved[j] += w * then;
            }
        }
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows * c) * static_cast<double>(d + 4), runtime,
        [&] { return Scratch{std::vector<double>(d), std::vector<double>(c)}; }, work,
        [&](std::size_t, Scratch& s) {
            for (std::size_t j = 0; j < c; ++j) potential[j] += s.saved[j];
        });
}

// Takes a centre in; total (stripes) are the sums of w · squared over the stripes afterwards.
template <class T>
void seed_add(const View<T>& x, const double* row_weight, const double* centre, const Seeds& seeds,
              const Runtime& runtime, double* total) {
    const Stripes stripes(x.rows, 1024);
    const auto index = static_cast<std::int32_t>(seeds.centres);
    auto work = [&](std::size_t stripe, std::vector<double>& scratch) {
        double sum = 0;
        for (std::size_t i = stripes.begin(stripe); i < stripes.end(stripe); ++i) {
            if (!seeds.cannot_help(i, 0)) {
                const double* row = rows_as_double(x, i, 1, scratch.data());
                const double squared = squared_distance(row, centre, x.cols);
                if (squared < seeds.squared[i]) {
                    seeds.squared[i] = squared;
                    seeds.nearest[i] = index;
                }
            }
            sum += (row_weight ? row_weight[i] : 1.0) * seeds.squared[i];
        }
        total[stripe] = sum;
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(x.cols + 8), runtime,
        [&] { return std::vector<double>(x.cols); }, work, [](std::size_t, std::vector<double>&) {});
}

template <class T>
void bind(nb::module_& m) {
    m.def("seed_potentials", [](Matrix<T> x, nb::object weights, Input candidates, Output squared,
                                Result<std::int32_t> nearest, Input limit, int threads, Output potential) {
        const double* w = pointer(weights);
        const Seeds seeds{squared.data(), nearest.data(), limit.data(), limit.shape(1)};
        call(threads, [&](const Runtime& r) {
            seed_potentials<T>(view<T>(x), w, candidates.data(), candidates.shape(0), seeds, r, potential.data());
        });
    }, nb::arg("x").noconvert(), nb::arg("weights").none(), nb::arg("candidates"), nb::arg("squared"),
       nb::arg("nearest").noconvert(), nb::arg("limit"), nb::arg("threads"), nb::arg("potential"));

    m.def("seed_add", [](Matrix<T> x, nb::object weights, Input centre, Output squared, Result<std::int32_t> nearest,
                         Input limit, int threads, Output total) {
        const double* w = pointer(weights);
        const Seeds seeds{squared.data(), nearest.data(), limit.data(), limit.shape(1)};
        call(threads, [&](const Runtime& r) { seed_add<T>(view<T>(x), w, centre.data(), seeds, r, total.data()); });
    }, nb::arg("x").noconvert(), nb::arg("weights").none(), nb::arg("centre"), nb::arg("squared"),
       nb::arg("nearest").noconvert(), nb::arg("limit"), nb::arg("threads"), nb::arg("total"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
    m.def("stripe_height", [](std::size_t rows) { return Stripes(rows, 1024).height; });
});

}  // namespace
}  // namespace suffice
