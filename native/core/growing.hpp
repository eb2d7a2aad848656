// A long list of plain values that grows at its end: where the system can, its memory is mapped anew and not copied, and
// what is not written yet takes none.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "core/binding.hpp"

namespace suffice {

template <class T>
class Growing {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Growing() = default;
    Growing(Growing&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0)) {}
    Growing& operator=(Growing&&) = delete;
    ~Growing() { std::free(data_); }

    std::size_t size() const { return size_; }

    // Room for `count` more, which the caller fills.
    T* extend(std::size_t count) {
        if (size_ + count > room_) {
            const std::size_t room = std::max(size_ + count, 2 * room_);
            auto* moved = static_cast<T*>(std::realloc(static_cast<void*>(data_), room * sizeof(T)));
            if (moved == nullptr) throw std::bad_alloc();
            data_ = moved, room_ = room;
        }
        size_ += count;
        return data_ + size_ - count;
    }
    void append(const std::vector<T>& values) {
        if (!values.empty()) std::memcpy(static_cast<void*>(extend(values.size())), values.data(), values.size() * sizeof(T));
    }
    void push_back(T value) { *extend(1) = value; }

    // The values, which the caller frees; never null.
    T* release() {
        if (data_ == nullptr) extend(1);
        room_ = size_ = 0;
        return std::exchange(data_, nullptr);
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0, room_ = 0;
};

template <class T>
nb::object owned(Growing<T> values) {
    const std::size_t size = values.size();
    T* kept = values.release();
    nb::capsule owner(kept, [](void* p) noexcept { std::free(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept, {size}, owner));
}

}  // namespace suffice
