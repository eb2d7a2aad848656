// The centres of k-means++: each is the best of a few rows drawn by weight times squared distance to those so far.
#include <vector>

#include "core/binding.hpp"
#include "kmeans/seeding.hpp"

namespace suffice {
namespace {

// uniform (k, trials): the random numbers; with `farthest` only the first is used, and each next seed is the row
// farthest from all before it.
template <class T>
void seed(const View<T>& x, const double* row_weight, const double* uniform, std::size_t k, std::size_t trials,
          bool farthest, const Runtime& runtime, double* centres) {
    Seeding<T> seeds(x, {row_weight}, runtime, centres);
    seeds.add({seeds.draw_by_weight(uniform[0])});
    std::vector<std::size_t> picks;
    for (std::size_t j = 1; j < k; ++j) {
        picks.clear();
        if (farthest) {
            picks.push_back(seeds.farthest());
        } else if (seeds.remaining() > 0) {
            for (std::size_t t = 0; t < trials; ++t) picks.push_back(seeds.draw_by_distance(uniform[j * trials + t]));
        } else {  // every row is a centre already
            picks.push_back(seeds.draw_by_weight(uniform[j * trials]));
        }
        seeds.add(picks);
    }
}

template <class T>
void bind(nb::module_& m) {
    m.def("seed", [](Matrix<T> x, Optional<Input> weights, Full<double> uniform, bool farthest, int threads, Output centres) {
        expect("weights", weights, x.shape(0));
        expect("centres", centres, uniform.shape(0) * x.shape(1));
        const double* w = pointer(weights);
        call(threads, [&](const Runtime& r) {
            seed(view<T>(x), w, uniform.data(), uniform.shape(0), uniform.shape(1), farthest, r, centres.data());
        });
    }, nb::arg("x"), nb::arg("weights").none(), nb::arg("uniform"), nb::arg("farthest"), nb::arg("threads"),
       nb::arg("centres"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
