// What Python sees of the kernels. Python allocates the results (zeroed) and checks shapes; here is only plumbing.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "kernels.hpp"

namespace nb = nanobind;
using namespace suffice;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
using Output = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Input = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
View<T> view(const Matrix<T>& x) {
    return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

bool interrupted() {
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

// Runs a kernel without the GIL; an interrupt has left its Python error set.
template <class Kernel>
auto call(int threads, Kernel kernel) {
    const Runtime runtime{threads, &interrupted};
    try {
        nb::gil_scoped_release release;
        return kernel(runtime);
    } catch (const Interrupted&) {
    }
    throw nb::python_error();
}

const double* pointer(const nb::object& array) {
    return array.is_none() ? nullptr : nb::cast<Weights>(array).data();
}

template <class T>
void bind(nb::module_& m) {
    m.def("moments", [](Matrix<T> x, Matrix<double> y, nb::object weights, int threads, Output weight, Output mean,
                        Output scatter) {
        const double* w = pointer(weights);
        call(threads, [&](const Runtime& r) {
            moments<T>(view<T>(x), view<double>(y), w, r, weight.data(), mean.data(), scatter.data());
        });
    }, nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").none(), nb::arg("threads"),
       nb::arg("weight"), nb::arg("mean"), nb::arg("scatter"));

    m.def("grouped_moments", [](Matrix<T> x, nb::object group, std::size_t groups, nb::object weights, int threads,
                                Output group_weight, Output weight, Output mean, Output scatter) {
        const double* w = pointer(weights);
        const std::int64_t* g = group.is_none() ? nullptr : nb::cast<Codes>(group).data();
        call(threads, [&](const Runtime& r) {
            grouped_moments<T>(view<T>(x), g, groups, w, r, group_weight.data(), weight.data(), mean.data(),
                               scatter.data());
        });
    }, nb::arg("x").noconvert(), nb::arg("group").none(), nb::arg("groups"), nb::arg("weights").none(),
       nb::arg("threads"), nb::arg("group_weight"), nb::arg("weight"), nb::arg("mean"), nb::arg("scatter"));

    m.def("affine", [](Matrix<T> x, nb::object shift, Input matrix, Input offset, int threads,
                       nb::ndarray<T, nb::c_contig, nb::device::cpu> out) {
        const double* s = pointer(shift);
        call(threads, [&](const Runtime& r) {
            affine<T>(view<T>(x), s, matrix.data(), offset.data(), offset.size(), r, out.data());
        });
    }, nb::arg("x").noconvert(), nb::arg("shift").none(), nb::arg("matrix"), nb::arg("offset"), nb::arg("threads"),
       nb::arg("out").noconvert());

    m.def("diagonal_log_density", [](Matrix<T> x, Input mean, Input variance, int threads, Output out) {
        call(threads, [&](const Runtime& r) {
            diagonal_log_density<T>(view<T>(x), mean.data(), variance.data(), mean.shape(0), r, out.data());
        });
    }, nb::arg("x").noconvert(), nb::arg("mean"), nb::arg("variance"), nb::arg("threads"), nb::arg("out"));

    m.def("first_bad", [](Matrix<T> x, bool allow_nan, int threads) {
        return call(threads, [&](const Runtime& r) { return first_bad<T>(view<T>(x), allow_nan, r); });
    }, nb::arg("x").noconvert(), nb::arg("allow_nan"), nb::arg("threads"));
}

}  // namespace

NB_MODULE(SUFFICE_MODULE, m) {
    m.doc() = "Suffice's kernels, compiled for one instruction-set level.";
    bind<double>(m);
    bind<float>(m);
}
