// Value, gradient and curvature of a loss for every row, where predictors are known.
#include "core/binding.hpp"
#include "predictors/row_losses.hpp"

namespace suffice {
namespace {

struct Known {
    const double *eta, *y, *weight;  // weight: null for 1
    double *gradient, *curvature;
};

// Σ w ℓ of some rows.
template <class Loss>
double parts(const Loss& loss, const Known& k, std::size_t begin, std::size_t end) {
    Vec total{};
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
        const LossParts found = loss.parts(load(k.eta + i), load(k.y + i));
        const Vec weight = k.weight ? load(k.weight + i) : broadcast(1.0);
        total += weight > 0.0 ? weight * found.value : Vec{};
        store(k.gradient + i, found.gradient), store(k.curvature + i, found.curvature);
    }
    if (i < end) {
        const std::size_t count = std::min<std::size_t>(kLanes, end - i);
        double eta[kLanes], y[kLanes], w[kLanes] = {};
        for (std::size_t l = 0; l < kLanes; ++l) {
            const std::size_t at = i + std::min(l, count - 1);
            eta[l] = k.eta[at], y[l] = k.y[at];
            if (l < count) w[l] = k.weight ? k.weight[at] : 1.0;
        }
        const LossParts found = loss.parts(load(eta), load(y));
        const Vec weight = load(w);
        total += weight > 0.0 ? weight * found.value : Vec{};
        double gradient[kLanes], curvature[kLanes];
        store(gradient, found.gradient), store(curvature, found.curvature);
        std::copy_n(gradient, count, k.gradient + i);
        std::copy_n(curvature, count, k.curvature + i);
    }
    return sum_lanes(total);
}

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
                        [&](std::size_t s, double& own) { own = parts(loss, known, stripes.begin(s), stripes.end(s)); },
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
