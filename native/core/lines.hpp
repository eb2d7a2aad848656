// Numbers that begin at a line of the cache, so that no vector lies across two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace suffice {

template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};

    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
    bool operator==(const LineAllocator&) const = default;
};

using Lines = std::vector<double, LineAllocator<double>>;

}  // namespace suffice
