// Sparse rows of counts: the logarithm of the factorial of their sum, and the sum of those of the counts.
#include <cmath>

#include "columns/small_counts.hpp"
#include "core/binding.hpp"
#include "sparse/csr.hpp"

namespace suffice {
namespace {

template <class T, class I>
void sparse_count_logs(const Csr<T, I>& x, const SmallCounts& small, const Runtime& runtime, double* of_sums,
                       double* logs) {
    const Stripes stripes(x.rows, 256);
    auto work = [&](std::size_t s, int&) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            double sum = 0, log = 0;
            for (I p = x.starts[i]; p < x.starts[i + 1]; ++p) {
                const double count = static_cast<double>(x.data[p]);
                sum += std::isnan(count) ? 0 : count;
                log += small.one(count);
            }
            of_sums[i] = small.one(sum);
            logs[i] = log;
        }
    };
    for_stripes(stripes.count(), 4 * static_cast<double>(x.starts[x.rows]), runtime, [] { return 0; }, work);
}

template <class T, class I>
void bind(nb::module_& m) {
    m.def("sparse_count_logs", [](Vector<T> data, Vector<I> indices, Vector<I> starts, Vector<double> small, int threads,
                                  Output of_sums, Output logs) {
        expect_csr(data, indices, starts);
        if (small.size() < SmallCounts::kLeast) throw nb::value_error("the table of small counts is too short");
        expect("of_sums", of_sums, starts.size() - 1);
        expect("logs", logs, starts.size() - 1);
        const SmallCounts table{small.data(), static_cast<double>(small.size())};
        const Csr<T, I> x{data.data(), indices.data(), starts.data(), starts.shape(0) - 1};
        call(threads, [&](const Runtime& r) { sparse_count_logs<T, I>(x, table, r, of_sums.data(), logs.data()); });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("small"), nb::arg("threads"),
       nb::arg("of_sums"), nb::arg("logs"));
}

const Register registered([](nb::module_& m) {
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
});

}  // namespace
}  // namespace suffice
