// How a kernel shows itself to Python: it registers a function that adds it to the module, in its own file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "parallel.hpp"
#include "view.hpp"

namespace suffice {

namespace nb = nanobind;

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Result = nb::ndarray<T, nb::c_contig, nb::device::cpu>;  // Python allocates results and checks shapes
using Output = Result<double>;
using Input = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using AddToModule = void (*)(nb::module_&);

inline std::vector<AddToModule>& registry() {
    static std::vector<AddToModule> all;
    return all;
}

// `static const Register r(add)` at the end of a kernel's file is all it takes.
struct Register {
    explicit Register(AddToModule add) { registry().push_back(add); }
};

template <class T>
View<T> view(const Matrix<T>& x) {
    return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

// The data of an optional array of doubles; null for None.
inline const double* pointer(const nb::object& array) {
    return array.is_none() ? nullptr : nb::cast<Input>(array).data();
}

inline bool interrupted() {
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

}  // namespace suffice
