// A large array in pages of 2 MiB where the system has them: reading across its rows misses fewer of them.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace suffice {

struct Free {
    void operator()(void* array) const { std::free(array); }
};

// Not initialised; memory is taken when it is first written.
template <class T>
std::unique_ptr<T[], Free> large_array(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
#if defined(__linux__)
    constexpr std::size_t kPage = std::size_t{1} << 21;
    void* array = bytes < kPage ? std::malloc(bytes) : std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
    if (array != nullptr && bytes >= kPage) madvise(array, bytes, MADV_HUGEPAGE);
#else
    void* array = std::malloc(bytes);
#endif
    if (array == nullptr) throw std::bad_alloc();
    return std::unique_ptr<T[], Free>(static_cast<T*>(array));
}

}  // namespace suffice
