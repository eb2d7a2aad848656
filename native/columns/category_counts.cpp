// How much weight each category has in each group of rows, for every column of codes.
//
// Column j has its counts at [offsets[j], offsets[j + 1]); a code that is NaN or outside of them is not counted.
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kWide = 256;  // columns: so many are shared out among the threads, and their counts not merged

struct Span {
    std::size_t first, end;
};

template <class T>
void count_rows(const View<T>& x, const std::int64_t* group, const double* weight, const std::int64_t* offsets,
                std::size_t width, Span rows, Span columns, double* counts) {
    for (std::size_t i = rows.first; i < rows.end; ++i) {
        double* own = counts + static_cast<std::size_t>(group[i]) * width;
        const double w = weight ? weight[i] : 1.0;
        for (std::size_t j = columns.first; j < columns.end; ++j) {
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
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols) * 4;
    const std::size_t width = cells / groups;
    if (x.cols >= kWide) {
        const Stripes blocks(x.cols, kWide / 4);
        auto count = [&](std::size_t s, int&) {
            count_rows(x, group, weight, offsets, width, {0, x.rows}, {blocks.begin(s), blocks.end(s)}, counts);
        };
        return for_stripes(blocks.count(), operations, runtime, [] { return 0; }, count);
    }
    const Stripes stripes(x.rows, std::max<std::size_t>(2048, cells));
    auto work = [&](std::size_t s, std::vector<double>& own) {
        std::fill(own.begin(), own.end(), 0.0);
        count_rows(x, group, weight, offsets, width, {stripes.begin(s), stripes.end(s)}, {0, x.cols}, own.data());
    };
    auto merge = [&](std::size_t, std::vector<double>& own) {
        for (std::size_t c = 0; c < cells; ++c) counts[c] += own[c];
    };
    reduce_stripes(stripes.count(), operations, runtime, [&] { return std::vector<double>(cells); }, work, merge);
}

template <class T>
void bind(nb::module_& m) {
    m.def("category_counts", [](Matrix<T> x, Codes group, Optional<Input> weight, Codes offsets, std::size_t groups,
                                int threads, Output counts) {
        expect("group", group, x.shape(0));
        expect("weight", weight, x.shape(0));
        if (groups == 0) throw nb::value_error("there must be a group");
        expect_below("group", group, groups, 0, threads);
        expect_starts("offsets", offsets, x.shape(1), counts.size() / groups);
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
