// The products of all columns of a CSR matrix with each other: one row of the result at a time, which stays in a cache.
#include <vector>

#include "core/binding.hpp"
#include "sparse/csr.hpp"

namespace suffice {
namespace {

// The same cells column by column: where each column begins, and of each cell its row and its value.
template <class I>
struct ByColumn {
    std::vector<std::size_t> starts;
    std::vector<I> rows;
    std::vector<double> values;

    template <class T>
    ByColumn(const Csr<T, I>& x, std::size_t d) : starts(d + 1) {
        const std::size_t cells = static_cast<std::size_t>(x.starts[x.rows]);
        rows.resize(cells);
        values.resize(cells);
        for (std::size_t p = 0; p < cells; ++p) ++starts[static_cast<std::size_t>(x.indices[p]) + 1];
        for (std::size_t j = 0; j < d; ++j) starts[j + 1] += starts[j];
        std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
        for (std::size_t i = 0; i < x.rows; ++i)
            for (I p = x.starts[i]; p < x.starts[i + 1]; ++p) {
                const std::size_t place = next[static_cast<std::size_t>(x.indices[p])]++;
                rows[place] = static_cast<I>(i);
                values[place] = static_cast<double>(x.data[p]);
            }
    }
};

// out (d, d), zeros before: each row by its own thread, from the rows of x that have a cell in its column.
template <class T, class I>
void sparse_column_products(const Csr<T, I>& x, std::size_t d, const Runtime& runtime, double* out) {
    const ByColumn<I> columns(x, d);
    const double cells = static_cast<double>(x.starts[x.rows]);
    const Stripes stripes(d, 8);
    auto work = [&](std::size_t s, int&) {
        for (std::size_t j = stripes.begin(s); j < stripes.end(s); ++j) {
            double* own = out + j * d;
            for (std::size_t c = columns.starts[j]; c < columns.starts[j + 1]; ++c) {
                const std::size_t i = static_cast<std::size_t>(columns.rows[c]);
                const double value = columns.values[c];
                for (I p = x.starts[i]; p < x.starts[i + 1]; ++p)
                    own[x.indices[p]] += value * static_cast<double>(x.data[p]);
            }
        }
    };
    const double each = x.rows ? cells / static_cast<double>(x.rows) : 0;
    for_stripes(stripes.count(), cells * each * 2, runtime, [] { return 0; }, work);
}

template <class T, class I>
void bind(nb::module_& m) {
    m.def("sparse_column_products", [](Vector<T> data, Vector<I> indices, Vector<I> starts, std::size_t d, int threads,
                                       Output out) {
        expect_csr(data, indices, starts);
        expect("out", out, d * d);
        const Csr<T, I> x{data.data(), indices.data(), starts.data(), starts.shape(0) - 1};
        call(threads, [&](const Runtime& r) { sparse_column_products<T, I>(x, d, r, out.data()); });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("d"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
});

}  // namespace
}  // namespace suffice
