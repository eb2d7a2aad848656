// How a kernel shows itself to Python: it registers a function that adds it to the module, in its own file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "core/ranges.hpp"
#include "core/view.hpp"

namespace suffice {

namespace nb = nanobind;

// An array that Python owns, of exactly the declared type, aligned. It is never converted, so that nothing is written into a copy
// that nobody sees, and its data can be taken only from a name that lives as long as the call, never from a temporary.
template <class Array>
class Held {
public:
    Held() = default;
    explicit Held(Array array) : array_(std::move(array)) {}

    // Whether numbers stand where the machine reads them whole, which is not so of every part of a file or a message.
    bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(array_.data()) % alignof(typename Array::Scalar) == 0; }

    auto* data() const& { return array_.data(); }
    auto* data() const&& = delete;
    std::size_t shape(std::size_t axis) const { return array_.shape(checked(axis)); }
    std::ptrdiff_t stride(std::size_t axis) const { return array_.stride(checked(axis)); }
    std::size_t size() const { return array_.size(); }

private:
    std::size_t checked(std::size_t axis) const {
        if (axis < array_.ndim()) return axis;
        throw nb::value_error("an array has fewer dimensions than are needed");
    }

    Array array_;
};

template <class T>
using Matrix = Held<nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>>;
template <class T>
using Full = Held<nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;
template <class T>
using Vector = Held<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
template <class T>
using Result = Held<nb::ndarray<T, nb::c_contig, nb::device::cpu>>;  // Python allocates results
using Output = Result<double>;
using Input = Held<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>;
using Codes = Vector<std::int64_t>;
template <class Array>
using Optional = std::optional<Array>;

using AddToModule = void (*)(nb::module_&);

inline std::vector<AddToModule>& registry() {
    static std::vector<AddToModule> all;
    return all;
}

// `static const Register r(add)` at the end of a kernel's file is all it takes.
struct Register {
    explicit Register(AddToModule add) { registry().push_back(add); }
};

template <class T, class Array>
View<T> view(const Held<Array>& x) {
    return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

// The data of an array that may be None; null for None.
template <class Array>
auto* pointer(const Optional<Array>& array) {
    return array ? array->data() : nullptr;
}
template <class Array>
auto* pointer(Optional<Array>&&) = delete;

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

namespace nanobind::detail {

template <class Array>
struct type_caster<suffice::Held<Array>> {
    NB_TYPE_CASTER(suffice::Held<Array>, make_caster<Array>::Name)

    bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
        make_caster<Array> inner;
        if (!inner.from_python(source, flags & ~static_cast<std::uint8_t>(cast_flags::convert), cleanup)) return false;
        value = suffice::Held<Array>(std::move(inner.value));
        return value.is_aligned();
    }
};

}  // namespace nanobind::detail
