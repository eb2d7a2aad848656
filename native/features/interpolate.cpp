// A rising curve for each column: straight lines between knots, the same value beyond the outer ones.
#include <cmath>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kTogether = 16;     // cells whose places are searched for side by side
constexpr std::size_t kBlockRows = 512;   // of one column after the other

struct Curve {
    const double *knots, *values;
    std::int64_t count;  // at least one

    // The last knot that is not above each cell; 0 where all are, or it is missing.
    void search(const double* cells, std::int64_t* last) const {
        for (std::size_t c = 0; c < kTogether; ++c) last[c] = 0;
        for (std::int64_t left = count; left > 1; left -= left / 2) {
            const std::int64_t half = left / 2;
            for (std::size_t c = 0; c < kTogether; ++c) last[c] += knots[last[c] + half] <= cells[c] ? half : 0;
        }
    }

    double value(double x, std::int64_t last) const {
        if (std::isnan(x)) return x;
        if (x <= knots[0]) return values[0];
        if (x >= knots[count - 1]) return values[count - 1];
        if (knots[last] < x)
            return values[last] +
                   (values[last + 1] - values[last]) * ((x - knots[last]) / (knots[last + 1] - knots[last]));
        if (knots[last - 1] < x) return values[last];
        const std::int64_t first = std::lower_bound(knots, knots + last, x) - knots;  // of several equal knots
        return 0.5 * (values[first] + values[last]);
    }
};

template <class T>
void interpolate_column(const View<T>& x, const Curve& curve, std::size_t j, std::size_t first, std::size_t end, T* out) {
    double cells[kTogether];
    std::int64_t last[kTogether];
    for (std::size_t i = first; i < end; i += kTogether) {
        const std::size_t count = std::min(kTogether, end - i);
        for (std::size_t c = 0; c < kTogether; ++c) cells[c] = static_cast<double>(x.at(std::min(i + c, end - 1), j));
        curve.search(cells, last);
        for (std::size_t c = 0; c < count; ++c) out[(i + c) * x.cols + j] = static_cast<T>(curve.value(cells[c], last[c]));
    }
}

// out (n, m) of rows (n, m); `knots` and `values` are (m, q).
template <class T>
void interpolate(const View<T>& x, const double* knots, const double* values, std::size_t q, const Runtime& runtime,
                 T* out) {
    const Stripes stripes(x.rows, kBlockRows);
    auto work = [&](std::size_t s, int&) {
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kBlockRows)
            for (std::size_t j = 0; j < x.cols; ++j) {
                const Curve curve{knots + j * q, values + j * q, static_cast<std::int64_t>(q)};
                interpolate_column(x, curve, j, first, std::min(stripes.end(s), first + kBlockRows), out);
            }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols) * 20;
    for_stripes(stripes.count(), operations, runtime, [] { return 0; }, work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("interpolate", [](Matrix<T> x, Full<double> knots, Full<double> values, int threads, Result<T> out) {
        const std::size_t q = knots.shape(1);
        if (q == 0) throw nb::value_error("there must be a knot");
        expect("knots", knots, x.shape(1) * q);
        expect("values", values, x.shape(1) * q);
        expect("out", out, x.shape(0) * x.shape(1));
        call(threads, [&](const Runtime& r) {
            interpolate<T>(view<T>(x), knots.data(), values.data(), q, r, out.data());
        });
    }, nb::arg("x"), nb::arg("knots"), nb::arg("values"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
