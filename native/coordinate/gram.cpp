// Coordinate descent on a matrix of products: a slope that moves changes the pulls on all others.
#include "coordinate/descent.hpp"
#include "core/vectors.hpp"

namespace suffice {
namespace {

double descend_gram(const double* g, std::size_t m, const Costs& costs, const Until& until, const Runtime& runtime,
                    double* w, double* pull) {
    auto move = [&](std::size_t j, double by) {
        const double* row = g + j * m;
        for (std::size_t i = 0; i < m; ++i) pull[i] -= by * row[i];
    };
    return descend(m, costs, until, runtime, w, [&](std::size_t j) { return g[j * m + j]; },
                   [&](std::size_t j) { return pull[j]; }, move);
}

const Register registered([](nb::module_& m) {
    m.def("descend_gram", [](Full<double> g, Input absolute, Input squared, bool positive, std::size_t epochs,
                             double tol, Output w, Output pull) {
        const std::size_t size = g.shape(0);
        expect("g", g, size * size);
        expect("absolute", absolute, size);
        expect("squared", squared, size);
        expect("w", w, size);
        expect("pull", pull, size);
        const Costs costs{absolute.data(), squared.data(), positive};
        return call(1, [&](const Runtime& r) {
            return descend_gram(g.data(), size, costs, {epochs, tol}, r, w.data(), pull.data());
        });
    }, nb::arg("g"), nb::arg("absolute"), nb::arg("squared"), nb::arg("positive"), nb::arg("epochs"), nb::arg("tol"),
       nb::arg("w"), nb::arg("pull"));
});

}  // namespace
}  // namespace suffice
