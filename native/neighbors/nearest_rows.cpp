// The nearest rows of each query by any distance that is a sum over columns: all are compared, none are kept.
//
// Blocks of queries meet panels of rows; of a tile of distances only what is near enough enters a list.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "neighbors/neighbours.hpp"
#include "distances/pair_terms.hpp"

namespace suffice {
namespace {

constexpr std::size_t kQueries = 32;  // in the cache at once

// Calls see(query, first row, rows, values) for every tile of queries [first, first + count) with all rows.
template <bool kGaps, class Term, class See>
void compare(const double* queries, std::size_t count, std::size_t d, const std::vector<double>& panels, std::size_t n,
             const Term& term, const Form& form, See see) {
    constexpr int kRows = kGaps ? 2 : 4;
    double values[kRows * kPanel];
    for (std::size_t p = 0; p * kPanel < n; ++p) {
        const double* panel = panels.data() + p * kPanel * d;
        const std::size_t width = std::min(kPanel, n - p * kPanel);
        std::size_t i = 0;
        for (; i + kRows <= count; i += kRows) {
            tile<kRows, kGaps>(queries + i * d, d, panel, term, form, values);
            for (std::size_t r = 0; r < kRows; ++r) see(i + r, p * kPanel, width, values + r * kPanel);
        }
        for (; i < count; ++i) {
            tile<1, kGaps>(queries + i * d, d, panel, term, form, values);
            see(i, p * kPanel, width, values);
        }
    }
}

template <bool kGaps, class Term>
void nearest_rows(const Rows& x, const Rows& y, const Term& term, const Form& form, std::size_t k, Lists out,
                  const Runtime& runtime) {
    const std::size_t d = x.cols;
    const std::vector<double> panels = packed(y);
    const Stripes stripes(x.rows, kQueries);
    struct Scratch {
        std::vector<double> rows;
        std::vector<TopK> lists;
    };
    auto work = [&](std::size_t s, Scratch& scratch) {
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kQueries) {
            const std::size_t count = std::min(kQueries, stripes.end(s) - first);
            x.copy(first, count, scratch.rows.data());
            for (TopK& list : scratch.lists) list.clear();
            compare<kGaps>(scratch.rows.data(), count, d, panels, y.rows, term, form,
                           [&](std::size_t i, std::size_t row, std::size_t width, const double* values) {
                               TopK& list = scratch.lists[i];
                               for (std::size_t c = 0; c < width; ++c)
                                   if (values[c] < list.worst().value)  // rows come in order: of equals the first stays
                                       list.offer(values[c], static_cast<std::int64_t>(row + c));
                           });
            for (std::size_t i = 0; i < count; ++i)
                scratch.lists[i].write(out.values + (first + i) * k, out.rows + (first + i) * k);
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(y.rows) * static_cast<double>(2 * d + 4);
    reduce_stripes(
        stripes.count(), operations, runtime,
        [&] { return Scratch{std::vector<double>(kQueries * d), std::vector<TopK>(kQueries, TopK(k))}; }, work,
        [](std::size_t, Scratch&) {});
}

template <bool kGaps, class Term>
Found rows_within(const Rows& x, const Rows& y, const Term& term, const Form& form, double radius,
                  const Runtime& runtime) {
    const std::size_t d = x.cols;
    const std::vector<double> panels = packed(y);
    const double operations = static_cast<double>(x.rows) * static_cast<double>(y.rows) * static_cast<double>(2 * d + 4);
    return find_all(
        x.rows, operations, runtime, [&] { return std::vector<double>(kQueries * d); },
        [&](std::size_t begin, std::size_t height, std::vector<double>& rows, std::vector<std::vector<Neighbour>>& lists) {
            for (std::size_t first = 0; first < height; first += kQueries) {
                const std::size_t count = std::min(kQueries, height - first);
                x.copy(begin + first, count, rows.data());
                compare<kGaps>(rows.data(), count, d, panels, y.rows, term, form,
                               [&](std::size_t i, std::size_t row, std::size_t width, const double* values) {
                                   for (std::size_t c = 0; c < width; ++c)
                                       if (values[c] <= radius)
                                           lists[first + i].push_back({values[c], static_cast<std::int64_t>(row + c)});
                               });
            }
        });
}

template <class T>
void bind(nb::module_& m) {
    m.def("nearest_rows", [](Matrix<double> x, Matrix<T> y, const std::string& kind, double p, std::size_t numbers,
                             Optional<Input> weight, double scale, std::size_t k, int threads, Output values,
                             Result<std::int64_t> rows) {
        expect("x", x, x.shape(0) * y.shape(1));
        expect("weight", weight, y.shape(1));
        expect("values", values, x.shape(0) * k);
        expect("rows", rows, x.shape(0) * k);
        const Rows queries(view<double>(x)), all(view<T>(y));
        const Form form = make_form("none", p, pointer(weight), scale);
        const Lists out{values.data(), rows.data()};
        call(threads, [&](const Runtime& r) {
            with_term(kind, p, numbers, form.weight != nullptr, [&](auto term, auto gaps) {
                nearest_rows<decltype(gaps)::value>(queries, all, term, form, k, out, r);
            });
        });
    }, nb::arg("x"), nb::arg("y"), nb::arg("kind"), nb::arg("p"), nb::arg("numbers"),
       nb::arg("weight").none(), nb::arg("scale"), nb::arg("k"), nb::arg("threads"), nb::arg("values"),
       nb::arg("rows"));
    m.def("rows_within", [](Matrix<double> x, Matrix<T> y, const std::string& kind, double p, std::size_t numbers,
                            Optional<Input> weight, double scale, double radius, int threads) {
        expect("x", x, x.shape(0) * y.shape(1));
        expect("weight", weight, y.shape(1));
        const Rows queries(view<double>(x)), all(view<T>(y));
        const Form form = make_form("none", p, pointer(weight), scale);
        return to_python(call(threads, [&](const Runtime& r) {
            Found found;
            with_term(kind, p, numbers, form.weight != nullptr, [&](auto term, auto gaps) {
                found = rows_within<decltype(gaps)::value>(queries, all, term, form, radius, r);
            });
            return found;
        }));
    }, nb::arg("x"), nb::arg("y"), nb::arg("kind"), nb::arg("p"), nb::arg("numbers"),
       nb::arg("weight").none(), nb::arg("scale"), nb::arg("radius"), nb::arg("threads"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
