// What the ways to build a hierarchy share: the merges they find, and how they look for Ctrl-C.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/binding.hpp"
#include "core/parallel.hpp"

namespace suffice {

// Merges as pairs of rows, one of each cluster, with heights; in the order in which they were found.
struct Merges {
    std::int64_t* pair;  // (n - 1, 2)
    double* height;      // (n - 1,)
    std::size_t count = 0;

    void add(std::size_t a, std::size_t b, double at) {
        pair[2 * count] = static_cast<std::int64_t>(a);
        pair[2 * count + 1] = static_cast<std::int64_t>(b);
        height[count++] = at;
    }
};

// Room for the merges of n rows, which have a column at least.
inline Merges merges_of(const Result<std::int64_t>& pair, const Output& height, std::size_t n, std::size_t columns = 1) {
    if (n == 0 || columns == 0) throw nb::value_error("there is nothing to merge");
    expect("pair", pair, 2 * (n - 1));
    expect("height", height, n - 1);
    return {pair.data(), height.data()};
}

// Asks for signals about every 20 milliseconds; to be called on the calling thread.
class Poll {
  public:
    explicit Poll(const Runtime& runtime) : runtime_(runtime) {}

    void operator()() {
        if (++calls_ % 16 != 0) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(20)) return;
        last_ = now;
        if (runtime_.interrupted()) throw Interrupted{};
    }

  private:
    const Runtime& runtime_;
    unsigned calls_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace suffice
