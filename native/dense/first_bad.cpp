// Finds the first cell that is infinite, or NaN where NaN is not allowed.
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/finite.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 128;

template <class T>
bool is_bad(T x, bool allow_nan) {
    return std::isinf(x) || (!allow_nan && std::isnan(x));
}

// Cells that lie side by side, of the rows or of the columns of a block; others one by one.
template <class T>
bool block_is_good(const View<T>& x, std::size_t first, std::size_t count, bool allow_nan) {
    const auto good = allow_nan ? &none_infinite<T> : &all_finite<T>;
    if (x.col_stride == 1 && x.row_stride == static_cast<std::ptrdiff_t>(x.cols))
        return good(&x.at(first, 0), count * x.cols);
    if (x.row_stride == 1) {
        for (std::size_t j = 0; j < x.cols; ++j)
            if (!good(&x.at(first, j), count)) return false;
        return true;
    }
    if (x.col_stride == 1) {
        for (std::size_t i = 0; i < count; ++i)
            if (!good(&x.at(first + i, 0), x.cols)) return false;
        return true;
    }
    bool bad = false;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) bad |= is_bad(x.at(first + i, j), allow_nan);
    return !bad;
}

template <class T>
std::int64_t search(const View<T>& x, std::size_t begin, std::size_t end, bool allow_nan) {
    for (std::size_t first = begin; first < end; first += kBlock) {
        const std::size_t count = std::min(kBlock, end - first);
        if (block_is_good(x, first, count, allow_nan)) continue;
        for (std::size_t i = first; i < first + count; ++i)
            for (std::size_t j = 0; j < x.cols; ++j)
                if (is_bad(x.at(i, j), allow_nan)) return static_cast<std::int64_t>(i * x.cols + j);
    }
    return -1;
}

// row * cols + col of the first infinite (or, unless allowed, NaN) cell; -1 where there is none.
template <class T>
std::int64_t first_bad(const View<T>& x, bool allow_nan, const Runtime& runtime) {
    const Stripes stripes(x.rows, kBlock * 8);
    std::int64_t found = -1;
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(x.cols), runtime,
        [] { return std::int64_t{-1}; },
        [&](std::size_t k, std::int64_t& at) { at = search(x, stripes.begin(k), stripes.end(k), allow_nan); },
        [&](std::size_t, std::int64_t& at) {
            if (found < 0) found = at;
        });
    return found;
}

template <class T>
void bind(nb::module_& m) {
    m.def("first_bad", [](Matrix<T> x, bool allow_nan, int threads) {
        return call(threads, [&](const Runtime& r) { return first_bad<T>(view<T>(x), allow_nan, r); });
    }, nb::arg("x"), nb::arg("allow_nan"), nb::arg("threads"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
