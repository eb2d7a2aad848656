// Coordinate descent on columns of an array, which keeps the weighted residuals of the rows.
#include <vector>

#include "coordinate/descent.hpp"
#include "core/vectors.hpp"

namespace suffice {
namespace {

struct Columns {
    const std::int64_t* places;  // (m), which columns
    const double* mean;          // (m)
    const double* square;        // (m), Σ curvature (x − mean)² / weight
    const double* curvature;     // (n) or null
    double weight;
};

double centred_dot(const double* x, double mean, const double* left, std::size_t n) {
    Vec total[2] = {};
    std::size_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes)
        for (int h = 0; h < 2; ++h) total[h] += (load(x + i + h * kLanes) - mean) * load(left + i + h * kLanes);
    double rest = 0;
    for (; i < n; ++i) rest += (x[i] - mean) * left[i];
    return sum_lanes(Vec(total[0] + total[1])) + rest;
}

double centred_dot(const float* x, double mean, const double* left, std::size_t n) {
    Vec total{};
    for_vectors(n, [&](std::size_t, auto get) { total += (get(x) - mean) * get(left); });
    return sum_lanes(total);
}

template <class T>
void subtract(const T* x, double mean, const double* curvature, double by, double* left, std::size_t n) {
    if (curvature)
        for (std::size_t i = 0; i < n; ++i) left[i] -= by * curvature[i] * (static_cast<double>(x[i]) - mean);
    else
        for (std::size_t i = 0; i < n; ++i) left[i] -= by * (static_cast<double>(x[i]) - mean);
}

template <class T>
double descend_columns(const View<T>& x, const Columns& c, std::size_t m, const Costs& costs, const Until& until,
                       const Runtime& runtime, double* w, double* left) {
    std::vector<T> scratch(x.row_stride == 1 ? 0 : x.rows);
    auto column = [&](std::size_t j) -> const T* {
        const std::size_t place = static_cast<std::size_t>(c.places[j]);
        if (x.row_stride == 1) return &x.at(0, place);
        for (std::size_t i = 0; i < x.rows; ++i) scratch[i] = x.at(i, place);
        return scratch.data();
    };
    auto pull = [&](std::size_t j) { return centred_dot(column(j), c.mean[j], left, x.rows) / c.weight; };
    auto move = [&](std::size_t j, double by) { subtract(column(j), c.mean[j], c.curvature, by, left, x.rows); };
    return descend(m, costs, until, runtime, w, [&](std::size_t j) { return c.square[j]; }, pull, move);
}

template <class T>
void bind(nb::module_& m) {
    m.def("descend_columns", [](Matrix<T> x, Codes places, Input mean, Input square, Optional<Input> curvature,
                                double weight, Input absolute, Input squared, bool positive, std::size_t epochs,
                                double tol, Output w, Output left) {
        const std::size_t size = places.size();
        expect_below("places", places, x.shape(1));
        expect("mean", mean, size);
        expect("square", square, size);
        expect("curvature", curvature, x.shape(0));
        expect("absolute", absolute, size);
        expect("squared", squared, size);
        expect("w", w, size);
        expect("left", left, x.shape(0));
        const Columns columns{places.data(), mean.data(), square.data(), pointer(curvature), weight};
        const Costs costs{absolute.data(), squared.data(), positive};
        return call(1, [&](const Runtime& r) {
            return descend_columns(view<T>(x), columns, size, costs, {epochs, tol}, r, w.data(), left.data());
        });
    }, nb::arg("x"), nb::arg("places"), nb::arg("mean"), nb::arg("square"), nb::arg("curvature").none(),
       nb::arg("weight"), nb::arg("absolute"), nb::arg("squared"), nb::arg("positive"), nb::arg("epochs"),
       nb::arg("tol"), nb::arg("w"), nb::arg("left"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
