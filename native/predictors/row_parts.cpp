// Value, gradient and curvature of a loss for every row, where predictors are known.
#include "core/binding.hpp"
#include "predictors/known_parts.hpp"

namespace suffice {
namespace {

void add(nb::module_& m) {
    m.def(
        "row_parts",
        [](const Vector<double>& eta, const Vector<double>& y, const Optional<Vector<double>>& weight, int kind,
           const Vector<double>& numbers, const Output& gradient, const Output& curvature, int threads) {
            const std::size_t n = eta.size();
            expect("y", y, n);
            expect("weight", weight, n);
            expect("numbers", numbers, 2);
            expect("gradient", gradient, n);
            expect("curvature", curvature, n);
            const Known known{eta.data(), y.data(), pointer(weight), gradient.data(), curvature.data()};
            return call(threads, [&](const Runtime& runtime) {
                double total = 0;
                const Stripes stripes(n, 4096);
                with_loss(kind, numbers.data(), [&](const auto& loss) {
                    reduce_stripes(
                        stripes.count(), 30.0 * static_cast<double>(n), runtime, [] { return 0.0; },
                        [&](std::size_t s, double& own) { own = parts_of(loss, known, stripes.begin(s), stripes.end(s)); },
                        [&](std::size_t, double& own) { total += own; });
                });
                return total;
            });
        },
        nb::arg("eta"), nb::arg("y"), nb::arg("weight").none(), nb::arg("kind"), nb::arg("numbers"), nb::arg("gradient"),
        nb::arg("curvature"), nb::arg("threads"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
