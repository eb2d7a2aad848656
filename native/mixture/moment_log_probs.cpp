// Σ w log N(x; m, covariance) of rows of which the weight, the mean and the scatter are known, for each component.
#include "mixture/gaussian.hpp"

namespace suffice {
namespace {

// −½ (w log det(2π C) + tr(C⁻¹ (scatter + w shift shiftᵀ))), with C⁻¹ = Vᵀ V, V the inverse root.
double total(const Gaussians& g, std::size_t c, const View<double>& scatter, const double* shift, double weight) {
    const std::size_t d = g.columns;
    const auto& precision = g.precision_matrix[c];
    double trace = 0;
    for (std::size_t i = 0; i < d; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < d; ++j)
            row += precision[i * d + j] * (scatter.at(c * d + i, j) + weight * shift[i] * shift[j]);
        trace += row;
    }
    return weight * g.constant[c] - 0.5 * trace;
}

const Register registered([](nb::module_& m) {
    // Returns the first component whose covariance has no root, or -1.
    m.def("moment_log_probs", [](Input scatter, Input shift, Input weight, Input covariance, int threads, Output out) {
        const std::size_t k = weight.size(), d = k ? shift.size() / k : 0;
        expect("shift", shift, k * d);
        expect("scatter", scatter, k * d * d);
        expect("covariance", covariance, k * d * d);
        expect("out", out, k);
        return call(threads, [&](const Runtime& r) {
            const std::vector<double> zeros(k);
            const Gaussians g(Shape::full, shift.data(), covariance.data(), zeros.data(), k, d, true, r);
            const View<double> rows{scatter.data(), k * d, d, static_cast<std::ptrdiff_t>(d), 1};
            for (std::size_t c = 0; c < k && g.singular < 0; ++c)
                out.data()[c] = total(g, c, rows, shift.data() + c * d, weight.data()[c]);
            return g.singular;
        });
    }, nb::arg("scatter"), nb::arg("shift"), nb::arg("weight"), nb::arg("covariance"), nb::arg("threads"),
       nb::arg("out"));
});

}  // namespace
}  // namespace suffice
