// Arrays that a kernel made, of a length that only it knew: Python owns them from then on.
#pragma once

#include <utility>
#include <vector>

#include "core/binding.hpp"

namespace suffice {

template <class T>
nb::object owned(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace suffice
