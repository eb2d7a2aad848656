// Coordinate descent on columns of a CSC matrix, whose means are never subtracted from the cells.
//
// The residuals are left + shift · curvature: what the means of the columns take away from all rows is one number. While
// the residuals sum to 0, the mean of a column adds nothing to its product with them.
#include "coordinate/descent.hpp"

namespace suffice {
namespace {

template <class T, class I>
struct SparseColumns {
    const T* data;
    const I* indices;
    const I* starts;             // where each column begins, and the end of the last
    const std::int64_t* places;  // (m), which columns
    const double* mean;          // (m)
    const double* square;        // (m)
    const double* curvature;     // (n) or null
    double weight;
};

template <class T, class I>
double descend_sparse(const SparseColumns<T, I>& x, std::size_t m, std::size_t n, const Costs& costs,
                      const Until& until, const Runtime& runtime, double* w, double* left) {
    double all = 0, shift = 0;
    for (std::size_t i = 0; i < n; ++i) all += x.curvature ? x.curvature[i] : 1.0;
    auto pull = [&](std::size_t j) {
        const I begin = x.starts[x.places[j]], end = x.starts[x.places[j] + 1];
        double sum[4] = {};
        I p = begin;
        for (; p + 4 <= end; p += 4)
            for (I l = 0; l < 4; ++l) sum[l] += static_cast<double>(x.data[p + l]) * left[x.indices[p + l]];
        for (; p < end; ++p) sum[0] += static_cast<double>(x.data[p]) * left[x.indices[p]];
        return ((sum[0] + sum[1]) + (sum[2] + sum[3]) + shift * all * x.mean[j]) / x.weight;
    };
    auto move = [&](std::size_t j, double by) {
        const I begin = x.starts[x.places[j]], end = x.starts[x.places[j] + 1];
        shift += by * x.mean[j];
        if (x.curvature)
            for (I p = begin; p < end; ++p)
                left[x.indices[p]] -= by * static_cast<double>(x.data[p]) * x.curvature[x.indices[p]];
        else
            for (I p = begin; p < end; ++p) left[x.indices[p]] -= by * static_cast<double>(x.data[p]);
    };
    const double gain =
        descend(m, costs, until, runtime, w, [&](std::size_t j) { return x.square[j]; }, pull, move);
    for (std::size_t i = 0; i < n; ++i) left[i] += shift * (x.curvature ? x.curvature[i] : 1.0);
    return gain;
}

template <class T, class I>
void bind(nb::module_& m) {
    m.def("descend_sparse", [](Vector<T> data, Vector<I> indices, Vector<I> starts, std::size_t rows, Codes places,
                               Input mean, Input square, Optional<Input> curvature, double weight, Input absolute,
                               Input squared, bool positive, std::size_t epochs, double tol, Output w, Output left) {
        expect_csr(data, indices, starts);
        const std::size_t size = places.size();
        expect_below("places", places, starts.size() - 1);
        expect("mean", mean, size);
        expect("square", square, size);
        expect("curvature", curvature, rows);
        expect("absolute", absolute, size);
        expect("squared", squared, size);
        expect("w", w, size);
        expect("left", left, rows);
        const SparseColumns<T, I> x{data.data(), indices.data(), starts.data(), places.data(), mean.data(),
                                    square.data(), pointer(curvature), weight};
        const Costs costs{absolute.data(), squared.data(), positive};
        return call(1, [&](const Runtime& r) {
            return descend_sparse<T, I>(x, size, rows, costs, {epochs, tol}, r, w.data(), left.data());
        });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("rows"), nb::arg("places"), nb::arg("mean"),
       nb::arg("square"), nb::arg("curvature").none(), nb::arg("weight"), nb::arg("absolute"), nb::arg("squared"), nb::arg("positive"),
       nb::arg("epochs"), nb::arg("tol"), nb::arg("w"), nb::arg("left"));
}

const Register registered([](nb::module_& m) {
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
});

}  // namespace
}  // namespace suffice
