// How much weight each category has in each group of rows, for every column of codes.
//
// Column j has its counts at [offsets[j], offsets[j + 1]); a code that is NaN or outside of them is not counted.
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

template <class T>
void count_rows(const View<T>& x, const std::int64_t* group, const double* weight, const std::int64_t* offsets,
                std::size_t width, std::size_t first, std::size_t end, double* counts) {
    for (std::size_t i = first; i < end; ++i) {
        double* own = counts + static_cast<std::size_t>(group[i]) * width;
        const double w = weight ? weight[i] : 1.0;
        for (std::size_t j = 0; j < x.cols; ++j) {
            const double code = static_cast<double>(x.at(i, j));
            const std::int64_t categories = offsets[j + 1] - offsets[j];
            if (code >= 0 && code < static_cast<double>(categories))
                own[offsets[j] + static_cast<std::int64_t>(code)] += w;
        }
    }
}

// counts (groups, width); stripes are added in their order, so that rounding does not depend on the threads.
template <class T>
void category_counts(const View<T>& x, const std::int64_t* group, const double* weight, const std::int64_t* offsets,
                     std::size_t cells, std::size_t groups, const Runtime& runtime, double* counts) {
    const Stripes stripes(x.rows, std::max<std::size_t>(2048, cells));
    auto work = [&](std::size_t s, std::vector<double>& own) {
        std::fill(own.begin(), own.end(), 0.0);
        count_rows(x, group, weight, offsets, cells / groups, stripes.begin(s), stripes.end(s), own.data());
    };
    auto merge = [&](std::size_t, std::vector<double>& own) {
        for (std::size_t c = 0; c < cells; ++c) counts[c] += own[c];
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols) * 4;
    reduce_stripes(stripes.count(), operations, runtime, [&] { return std::vector<double>(cells); }, work, merge);
}

template <class T>
void bind(nb::module_& m) {
    m.def("category_counts", [](Matrix<T> x, Codes group, Optional<Input> weight, Codes offsets, std::size_t groups,
                                int threads, Output counts) {
        expect("group", group, x.shape(0));
        expect("weight", weight, x.shape(0));
        expect("offsets", offsets, x.shape(1) + 1);
        expect("counts", counts, groups * static_cast<std::size_t>(offsets.data()[x.shape(1)]));
        const double* w = pointer(weight);
        call(threads, [&](const Runtime& r) {
            category_counts<T>(view<T>(x), group.data(), w, offsets.data(), counts.size(), groups, r, counts.data());
        });
    }, nb::arg("x"), nb::arg("group"), nb::arg("weight").none(), nb::arg("offsets"),
       nb::arg("groups"), nb::arg("threads"), nb::arg("counts"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
