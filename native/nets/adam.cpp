// A step of Adam: both running means and the parameters in one pass.
#include <cmath>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kStripe = 8192;  // parameters, at least

// What is kept of the old means, what the gradient adds to them, ε, and the length of the step.
template <class T>
struct Rule {
    T kept_mean, new_mean, kept_square, new_square, epsilon, rate;
};

template <class T>
void step(T* theta, const T* slope, T* mean, T* square, std::size_t first, std::size_t end, const Rule<T>& rule) {
    for (std::size_t i = first; i < end; ++i) {
        const T g = slope[i];
        const T m = rule.kept_mean * mean[i] + rule.new_mean * g;
        const T v = rule.kept_square * square[i] + rule.new_square * (g * g);
        mean[i] = m;
        square[i] = v;
        theta[i] -= m * rule.rate / (std::sqrt(v) + rule.epsilon);
    }
}

template <class T>
void bind(nb::module_& m) {
    m.def("adam", [](Result<T> theta, Vector<T> slope, Result<T> mean, Result<T> square, double beta_1, double beta_2,
                     double epsilon, double rate, int threads) {
        const std::size_t p = theta.size();
        expect("slope", slope, p);
        expect("mean", mean, p);
        expect("square", square, p);
        const Rule<T> rule{static_cast<T>(beta_1), static_cast<T>(1 - beta_1), static_cast<T>(beta_2),
                           static_cast<T>(1 - beta_2), static_cast<T>(epsilon), static_cast<T>(rate)};
        call(threads, [&](const Runtime& r) {
            const Stripes stripes(p, kStripe);
            for_stripes(stripes.count(), 8.0 * static_cast<double>(p), r, [] { return 0; }, [&](std::size_t s, int&) {
                step(theta.data(), slope.data(), mean.data(), square.data(), stripes.begin(s), stripes.end(s), rule);
            });
        });
    }, nb::arg("theta"), nb::arg("slope"), nb::arg("mean"), nb::arg("square"), nb::arg("beta_1"), nb::arg("beta_2"),
       nb::arg("epsilon"), nb::arg("rate"), nb::arg("threads"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
