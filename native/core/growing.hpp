// A long list of plain values that grows at its end: where the system can, its memory is mapped anew and not copied, what
// is not written yet takes none, and all of it goes back to the system when the list ends.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "core/binding.hpp"

namespace suffice {

// Memory of `bytes`, with what was in that of `before`, which ends; of no bytes, null.
inline void* resized(void* memory, std::size_t before, std::size_t bytes) {
#if defined(__linux__)
    constexpr std::size_t kPages = 1 << 16;  // from which on memory is mapped: heaps keep what was freed
    if (before >= kPages || bytes >= kPages) {
        void* moved = nullptr;
        if (before >= kPages && bytes >= kPages) {
            moved = mremap(memory, before, bytes, MREMAP_MAYMOVE);
        } else if (bytes >= kPages) {
            moved = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        } else if (bytes > 0 && (moved = std::malloc(bytes)) == nullptr) {
            throw std::bad_alloc();
        }
        if (moved == MAP_FAILED) throw std::bad_alloc();
        if (before >= kPages && bytes >= kPages) return moved;
        if (before > 0 && bytes > 0) std::memcpy(moved, memory, std::min(before, bytes));
        if (before >= kPages) munmap(memory, before);
        else std::free(memory);
        return moved;
    }
#endif
    if (bytes == 0) {
        std::free(memory);
        return nullptr;
    }
    void* moved = std::realloc(memory, bytes);
    if (moved == nullptr) throw std::bad_alloc();
    return moved;
}

template <class T>
class Growing {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Growing() = default;
    Growing(Growing&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0)) {}
    Growing& operator=(Growing&&) = delete;
    ~Growing() { end(); }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

    // Room for `count` more, which the caller fills.
    T* extend(std::size_t count) {
        if (size_ + count > room_) set_room(std::max({size_ + count, 2 * room_, std::size_t{16}}));
        size_ += count;
        return data_ + size_ - count;
    }
    void append(const T* values, std::size_t count) {
        if (count > 0) std::memcpy(static_cast<void*>(extend(count)), values, count * sizeof(T));
    }
    void append(const std::vector<T>& values) { append(values.data(), values.size()); }
    void append(const Growing& values) { append(values.data_, values.size_); }
    void push_back(T value) { *extend(1) = value; }
    void clear() { size_ = 0; }
    // Gives the memory back.
    void end() {
        resized(static_cast<void*>(data_), room_ * sizeof(T), 0);
        data_ = nullptr, size_ = room_ = 0;
    }
    // No more room than values, but never none.
    void fit() { set_room(std::max(size_, std::size_t{1})); }

  private:
    void set_room(std::size_t room) {
        data_ = static_cast<T*>(resized(static_cast<void*>(data_), room_ * sizeof(T), room * sizeof(T)));
        room_ = room;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0, room_ = 0;
};

template <class T>
nb::object owned(Growing<T> values) {
    values.fit();
    auto* kept = new Growing<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Growing<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace suffice
