// Interrupts, for loops that run on one thread.
#pragma once

#include <chrono>

#include "core/parallel.hpp"

namespace suffice {

// Looks for an interrupt between calls of reduce_stripes that are too short to look themselves.
class Clock {
  public:
    explicit Clock(const Runtime& runtime) : runtime_(runtime) {}

    void poll() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(20)) return;
        last_ = now;
        if (runtime_.interrupted()) throw Interrupted{};
    }

  private:
    const Runtime& runtime_;
    std::chrono::steady_clock::time_point last_{std::chrono::steady_clock::now()};
};

}  // namespace suffice
