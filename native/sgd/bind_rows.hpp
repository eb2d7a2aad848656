// One kernel for dense rows and for CSR: `NAME(x, …)` and `NAME_csr(data, indices, starts, d, …)`, of floats and doubles.
#pragma once

#include <string>
#include <type_traits>

#include "core/binding.hpp"
#include "sgd/rows.hpp"

namespace suffice {

// `like` is the kernel for rows of doubles, whose other arguments all forms have, by these names; `body` is any of them.
template <class Result, class... Rest, class Body, class... Names>
void bind_rows(nb::module_& m, const std::string& name, Result (*like)(const DenseRows<double>&, Rest...), Body body,
               const Names&... names) {
    static_assert(sizeof...(Rest) == sizeof...(Names));
    (void)like;
    const std::string sparse = name + "_csr";
    auto dense = [&]<class T>(T) {
        m.def(name.c_str(), [body](Full<T> x, std::remove_cvref_t<Rest>... rest) {
            return body(DenseRows<T>{x.data(), x.shape(0), x.shape(1)}, rest...);
        }, nb::arg("x"), names...);
    };
    auto csr = [&]<class T, class I>(T, I) {
        m.def(sparse.c_str(), [body](Vector<T> data, Vector<I> indices, Vector<I> starts, std::size_t d,
                                     std::remove_cvref_t<Rest>... rest) {
            expect_csr(data, indices, starts);
            const std::size_t n = starts.size() - 1;
            return body(SparseRows<T, I>{{data.data(), indices.data(), starts.data(), n}, n, d}, rest...);
        }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("d"), names...);
    };
    dense(double{});
    dense(float{});
    csr(double{}, std::int32_t{});
    csr(double{}, std::int64_t{});
    csr(float{}, std::int32_t{});
    csr(float{}, std::int64_t{});
}

}  // namespace suffice
