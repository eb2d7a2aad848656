// What a factorisation expects of some cells of each row: the products of the row's factors and the columns'.
#include "core/binding.hpp"
#include "core/simd.hpp"
#include "core/vectors.hpp"

namespace suffice {
namespace {

double product(const double* a, const double* b, std::size_t p) {
    Vec sum{};
    std::size_t c = 0;
    for (; c + kLanes <= p; c += kLanes) sum += load(a + c) * load(b + c);
    if (c < p) sum += load_first(a + c, p - c) * load_first(b + c, p - c);
    return sum_lanes(sum);
}

const Register registered([](nb::module_& m) {
    m.def("cell_products", [](Full<double> own, Full<double> other, Codes starts, Codes columns, int threads, Output out) {
        const std::size_t n = own.shape(0), p = own.shape(1);
        expect("starts", starts, n + 1);
        expect_csr(out, columns, starts);
        expect_below("columns", columns, other.shape(0), 0, threads);
        expect("other", other, other.shape(0) * p);
        const double *A = own.data(), *B = other.data();
        const std::int64_t *begins = starts.data(), *places = columns.data();
        double* into = out.data();
        call(threads, [&](const Runtime& r) {
            const Stripes stripes(n, 16);
            const double work = static_cast<double>(columns.size()) * static_cast<double>(2 * p + 10);
            for_stripes(stripes.count(), work, r, [] { return 0; }, [&](std::size_t s, int&) {
                for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
                    for (std::int64_t at = begins[i]; at < begins[i + 1]; ++at)
                        into[at] = product(A + i * p, B + static_cast<std::size_t>(places[at]) * p, p);
            });
        });
    }, nb::arg("own"), nb::arg("other"), nb::arg("starts"), nb::arg("columns"), nb::arg("threads"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
