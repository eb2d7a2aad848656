// The largest size of a cell, missing ones apart.
#include <cmath>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

// NaN is never above the largest so far.
template <class T>
T largest_of(const T* cells, std::size_t count, T most) {
    using V = typename LaneTypes<T>::V;
    constexpr std::size_t kWide = sizeof(V) / sizeof(T);
    V best[2] = {V{} + most, V{} + most};
    std::size_t i = 0;
    for (; i + 2 * kWide <= count; i += 2 * kWide)
        for (std::size_t v = 0; v < 2; ++v) {
            V at;
            std::memcpy(&at, cells + i + v * kWide, sizeof at);
            at = at < 0 ? -at : at;
            best[v] = at > best[v] ? at : best[v];
        }
    for (std::size_t l = 0; l < kWide; ++l) most = std::max({most, best[0][l], best[1][l]});
    for (; i < count; ++i) most = std::abs(cells[i]) > most ? std::abs(cells[i]) : most;
    return most;
}

template <class T>
T largest_of_rows(const View<T>& x, std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    T most = 0;
    if (x.cols == 0) return most;
    if (x.col_stride == 1 && x.row_stride == static_cast<std::ptrdiff_t>(x.cols))
        return largest_of(&x.at(begin, 0), count * x.cols, most);
    if (x.row_stride == 1) {
        for (std::size_t j = 0; j < x.cols; ++j) most = largest_of(&x.at(begin, j), count, most);
        return most;
    }
    for (std::size_t i = begin; i < end; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) most = std::abs(x.at(i, j)) > most ? std::abs(x.at(i, j)) : most;
    return most;
}

template <class T>
double largest(const View<T>& x, const Runtime& runtime) {
    const Stripes stripes(x.rows, 1024);
    T most = 0;
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(x.cols), runtime, [] { return T(0); },
        [&](std::size_t s, T& own) { own = largest_of_rows(x, stripes.begin(s), stripes.end(s)); },
        [&](std::size_t, T& own) { most = std::max(most, own); });
    return static_cast<double>(most);
}

template <class T>
void bind(nb::module_& m) {
    m.def("largest", [](Matrix<T> x, int threads) {
        return call(threads, [&](const Runtime& r) { return largest<T>(view<T>(x), r); });
    }, nb::arg("x"), nb::arg("threads"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
