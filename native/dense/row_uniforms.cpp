// A number in (0, 1) for each row, from the bits of its cells and a seed.
#include <cstdint>
#include <cstring>

#include "core/binding.hpp"
#include "core/mixing.hpp"

namespace suffice {
namespace {

template <class T>
std::uint64_t bits_of(T cell) {
    const double x = static_cast<double>(cell) + 0.0;  // −0 is 0
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

template <class T>
void row_uniforms(const View<T>& x, std::uint64_t seed, double* out) {
    constexpr std::size_t kRows = 8;  // side by side, as every step waits for the one before
    for (std::size_t first = 0; first < x.rows; first += kRows) {
        const std::size_t count = std::min(kRows, x.rows - first);
        std::uint64_t mixed[kRows];
        std::fill_n(mixed, kRows, seed * kGolden);
        for (std::size_t j = 0; j < x.cols; ++j)
            for (std::size_t r = 0; r < count; ++r) mixed[r] = mix(mixed[r] ^ bits_of(x.at(first + r, j)));
        for (std::size_t r = 0; r < count; ++r)
            out[first + r] = (static_cast<double>(mixed[r] >> 11) + 0.5) * 0x1p-53;
    }
}

template <class T>
void bind(nb::module_& m) {
    m.def("row_uniforms", [](Matrix<T> x, std::uint64_t seed, Output out) {
        expect("out", out, x.shape(0));
        nb::gil_scoped_release release;
        row_uniforms(view<T>(x), seed, out.data());
    }, nb::arg("x"), nb::arg("seed"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
