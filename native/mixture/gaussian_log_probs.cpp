// log weight + log N(x; mean, covariance) of every row under every component; gaps are left out.
#include "mixture/wide.hpp"

namespace suffice {
namespace {

template <class T>
void log_probs(const View<T>& x, const Gaussians& g, const Runtime& runtime, double* out) {
    const std::size_t k = g.count, d = g.columns, height = block_height(d, g.shape);
    const Stripes stripes(x.rows, height);
    auto work = [&](std::size_t s, RowBlock& block) {
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += height) {
            block.read(x, first, std::min(height, stripes.end(s) - first));
            block.evaluate(g);
            const View<double> joint{block.log_joint.data(), k, block.count, static_cast<std::ptrdiff_t>(block.ld), 1};
            copy_columns(joint, 0, k, out + first * k, k);
        }
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(k * d * (d + 4)), runtime,
        [&] { return RowBlock(g); }, work, [](std::size_t, RowBlock&) {});
}

template <class T>
void bind(nb::module_& m) {
    m.def("gaussian_log_probs", [](Matrix<T> x, Full<double> means, Input covariance, Input log_weight, int shape, bool gaps,
                                   int threads, Output out) {
        expect_gaussians(x.shape(1), means, covariance, log_weight, static_cast<Shape>(shape));
        expect("out", out, x.shape(0) * means.shape(0));
        return call(threads, [&](const Runtime& r) {
            const Gaussians g(static_cast<Shape>(shape), means.data(), covariance.data(), log_weight.data(),
                              means.shape(0), means.shape(1), gaps, r);
            if (g.singular >= 0) return g.singular;
            if (g.is_wide())
                wide_log_probs<T>(view<T>(x), g, r, out.data());
            else
                log_probs<T>(view<T>(x), g, r, out.data());
            return g.singular;
        });
    }, nb::arg("x"), nb::arg("means"), nb::arg("covariance"), nb::arg("log_weight"), nb::arg("shape"),
       nb::arg("gaps"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
