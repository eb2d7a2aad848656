// Categories as places among columns of 0 and 1, those columns, and the way back.
#include <cmath>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kStripeCells = 4096;  // at least so many in a stripe

Stripes stripes_of(std::size_t rows, std::size_t columns) {
    return Stripes(rows, std::max<std::size_t>(1, kStripeCells / std::max<std::size_t>(1, columns)));
}

double cells_of(std::size_t rows, std::size_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
}

// The categories of one column, sorted, and where each stands, a missing cell and any other number.
struct Column {
    const double* levels;
    const std::int64_t* places;
    std::size_t count;
    std::int64_t missing, unknown;
    bool even;  // whether the levels are whole numbers without gaps

    Column(const double* sorted, const std::int64_t* where, std::size_t size, std::int64_t gap, std::int64_t other)
        : levels(sorted), places(where), count(size), missing(gap), unknown(other), even(size > 0) {
        for (std::size_t i = 1; i < count; ++i) even &= levels[i] == levels[i - 1] + 1;
    }

    std::int64_t place(double cell) const {
        if (std::isnan(cell)) return missing;
        if (even) {
            const double at = cell - levels[0];
            if (!(at >= 0 && at < static_cast<double>(count))) return unknown;
            const std::size_t i = static_cast<std::size_t>(at);
            return levels[i] == cell ? places[i] : unknown;
        }
        const double* found = std::lower_bound(levels, levels + count, cell);
        return found != levels + count && *found == cell ? places[found - levels] : unknown;
    }
};

template <class T>
void category_places(const View<T>& x, const std::vector<Column>& columns, const Runtime& runtime, std::int64_t* out) {
    const Stripes stripes = stripes_of(x.rows, x.cols);
    for_stripes(stripes.count(), 8 * cells_of(x.rows, x.cols), runtime, [] { return 0; }, [&](std::size_t s, int&) {
        for (std::size_t j = 0; j < x.cols; ++j)
            for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
                out[i * x.cols + j] = columns[j].place(static_cast<double>(x.at(i, j)));
    });
}

// out (n, width): 1 at the places of each row that are not below 0, which are below `width`.
template <class T>
void flags(const View<std::int64_t>& places, std::size_t width, const Runtime& runtime, T* out) {
    const Stripes stripes = stripes_of(places.rows, width);
    for_stripes(stripes.count(), cells_of(places.rows, width), runtime, [] { return 0; }, [&](std::size_t s, int&) {
        std::fill(out + stripes.begin(s) * width, out + stripes.end(s) * width, T(0));
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
            for (std::size_t j = 0; j < places.cols; ++j) {
                const std::int64_t at = places.at(i, j);
                if (at >= 0 && at < static_cast<std::int64_t>(width)) out[i * width + static_cast<std::size_t>(at)] = 1;
            }
    });
}

// The first of the largest cells from `first` to `end`, counted from `first`, a NaN above all; -1 where all are 0.
template <class T>
std::int64_t largest(const View<T>& x, std::size_t i, std::size_t first, std::size_t end) {
    std::size_t best = first;
    bool some = false;
    for (std::size_t j = first; j < end; ++j) {
        const T cell = x.at(i, j);
        if (std::isnan(cell)) return static_cast<std::int64_t>(j - first);
        some |= cell != T(0);
        if (cell > x.at(i, best)) best = j;
    }
    return some ? static_cast<std::int64_t>(best - first) : -1;
}

template <class T>
void flagged_places(const View<T>& x, const Codes& starts, const Runtime& runtime, std::int64_t* out) {
    const std::size_t m = starts.size() - 1;
    const std::int64_t* at = starts.data();
    const Stripes stripes = stripes_of(x.rows, x.cols);
    for_stripes(stripes.count(), 2 * cells_of(x.rows, x.cols), runtime, [] { return 0; }, [&](std::size_t s, int&) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
            for (std::size_t j = 0; j < m; ++j)
                out[i * m + j] = largest(x, i, static_cast<std::size_t>(at[j]), static_cast<std::size_t>(at[j + 1]));
    });
}

template <class T>
void bind(nb::module_& m) {
    m.def("category_places", [](Matrix<T> x, Vector<double> levels, Codes starts, Codes places, Codes missing,
                                Codes unknown, int threads, Result<std::int64_t> out) {
        const std::size_t d = x.shape(1);
        expect_starts("starts", starts, d, levels.size());
        expect("places", places, levels.size());
        expect("missing", missing, d);
        expect("unknown", unknown, d);
        expect("out", out, x.shape(0) * d);
        std::vector<Column> columns;
        const std::int64_t* at = starts.data();
        for (std::size_t j = 0; j < d; ++j)
            columns.emplace_back(levels.data() + at[j], places.data() + at[j], static_cast<std::size_t>(at[j + 1] - at[j]),
                                 missing.data()[j], unknown.data()[j]);
        call(threads, [&](const Runtime& r) { category_places<T>(view<T>(x), columns, r, out.data()); });
    }, nb::arg("x"), nb::arg("levels"), nb::arg("starts"), nb::arg("places"), nb::arg("missing"), nb::arg("unknown"),
       nb::arg("threads"), nb::arg("out"));
    m.def("flags", [](Matrix<std::int64_t> places, std::size_t width, int threads, Result<T> out) {
        expect("out", out, places.shape(0) * width);
        call(threads, [&](const Runtime& r) { flags<T>(view<std::int64_t>(places), width, r, out.data()); });
    }, nb::arg("places"), nb::arg("width"), nb::arg("threads"), nb::arg("out"));
    m.def("flagged_places", [](Matrix<T> x, Codes starts, int threads, Result<std::int64_t> out) {
        if (starts.size() == 0) throw nb::value_error("the starts of columns are empty");
        expect_starts("starts", starts, starts.size() - 1, x.shape(1));
        expect("out", out, x.shape(0) * (starts.size() - 1));
        call(threads, [&](const Runtime& r) { flagged_places<T>(view<T>(x), starts, r, out.data()); });
    }, nb::arg("x"), nb::arg("starts"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
