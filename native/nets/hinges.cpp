// Activations of two straight pieces, f(z) = z above 0 and a z below, with the bias before and its gradient behind.
#include "core/binding.hpp"

namespace suffice {
namespace {

// z (m, u) becomes f(z + bias); a NaN stays one.
template <class T>
void bend(T* z, std::size_t rows, std::size_t units, const T* bias, T below) {
    for (std::size_t i = 0; i < rows; ++i, z += units) {
        if (below == T(1))
            for (std::size_t j = 0; j < units; ++j) z[j] += bias[j];
        else if (below == T(0))  // not 0 · z, which is no number where z is −∞
            for (std::size_t j = 0; j < units; ++j) {
                const T value = z[j] + bias[j];
                z[j] = value < T(0) ? T(0) : value;
            }
        else
            for (std::size_t j = 0; j < units; ++j) {
                const T value = z[j] + bias[j];
                z[j] = value < T(0) ? below * value : value;
            }
    }
}

// The gradient by h = f(z), (m, u), becomes that by z, and `sums` (u,) that by the bias.
template <class T>
void unbend(T* slope, const T* h, std::size_t rows, std::size_t units, T below, T* sums) {
    std::fill_n(sums, units, T(0));
    for (std::size_t i = 0; i < rows; ++i, slope += units, h += units)
        for (std::size_t j = 0; j < units; ++j) {
            const T value = h[j] > T(0) ? slope[j] : below * slope[j];
            slope[j] = value;
            sums[j] += value;
        }
}

template <class T>
void bind(nb::module_& m) {
    m.def("bend", [](Result<T> z, Vector<T> bias, double below, std::size_t rows) {
        expect("z", z, rows * bias.size());
        call(1, [&](const Runtime&) { bend<T>(z.data(), rows, bias.size(), bias.data(), static_cast<T>(below)); });
    }, nb::arg("z"), nb::arg("bias"), nb::arg("below"), nb::arg("rows"));
    m.def("unbend", [](Result<T> slope, Full<T> h, double below, Result<T> sums) {
        expect("slope", slope, h.size());
        expect("sums", sums, h.shape(1));
        call(1, [&](const Runtime&) {
            unbend<T>(slope.data(), h.data(), h.shape(0), h.shape(1), static_cast<T>(below), sums.data());
        });
    }, nb::arg("slope"), nb::arg("h"), nb::arg("below"), nb::arg("sums"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
