// Lower weighted medians of each group of rows and each column, from the order of the rows in every column.
//
// `order` holds for each column the rows by rising value, those with NaN left out: its first `present[j]` entries.
// A column is walked twice: for the weight of each group, then to where half of it is reached. Columns run apart.
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

template <class T>
void column_medians(const View<T>& x, std::size_t j, const std::int64_t* order, std::size_t present,
                    const std::int64_t* group, const double* weight, std::vector<double>& total,
                    std::vector<double>& below, double* medians) {
    const std::size_t groups = total.size();
    std::fill(total.begin(), total.end(), 0.0);
    std::fill(below.begin(), below.end(), 0.0);
    for (std::size_t i = 0; i < present; ++i) total[group[order[i]]] += weight ? weight[order[i]] : 1.0;
    std::size_t open = 0;
    for (std::size_t g = 0; g < groups; ++g) open += total[g] > 0;
    for (std::size_t i = 0; i < present && open > 0; ++i) {
        const std::int64_t row = order[i], g = group[row];
        if (2 * below[g] >= total[g]) continue;  // found already, or nothing to find
        below[g] += weight ? weight[row] : 1.0;
        if (2 * below[g] < total[g]) continue;
        medians[static_cast<std::size_t>(g) * x.cols + j] = static_cast<double>(x.at(row, j));
        --open;
    }
}

template <class T>
void bind(nb::module_& m) {
    m.def("group_medians", [](Matrix<T> x, Codes order, Codes present, Codes group, Optional<Input> weight,
                              std::size_t groups, int threads, Output medians) {
        expect("order", order, x.shape(0) * x.shape(1));
        expect("present", present, x.shape(1));
        expect("group", group, x.shape(0));
        expect("weight", weight, x.shape(0));
        expect("medians", medians, groups * x.shape(1));
        const View<T> v = view<T>(x);
        const double* w = pointer(weight);
        const std::int64_t *rows = order.data(), *counts = present.data(), *label = group.data();
        double* out = medians.data();
        struct Scratch {
            std::vector<double> total, below;
        };
        call(threads, [&](const Runtime& r) {
            reduce_stripes(
                v.cols, static_cast<double>(v.rows) * static_cast<double>(v.cols) * 4, r,
                [&] { return Scratch{std::vector<double>(groups), std::vector<double>(groups)}; },
                [&](std::size_t j, Scratch& s) {
                    column_medians(v, j, rows + j * v.rows, static_cast<std::size_t>(counts[j]), label, w, s.total,
                                   s.below, out);
                },
                [](std::size_t, Scratch&) {});
        });
    }, nb::arg("x"), nb::arg("order"), nb::arg("present"),
       nb::arg("group"), nb::arg("weight").none(), nb::arg("groups"), nb::arg("threads"),
       nb::arg("medians"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
