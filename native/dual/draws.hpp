// SplitMix64, by which rows are put in order: the same order on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace suffice {

class Draws {
  public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}

    std::size_t below(std::size_t n) {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return static_cast<std::size_t>(((z ^ (z >> 31)) >> 11) % n);
    }

    // Of Fisher and Yates: of many rows, of blocks of 8, which lie side by side in memory.
    template <class Place>
    void shuffle(Place* rows, std::size_t count) {
        const std::size_t size = count >= 256 ? 8 : 1, blocks = count / size;
        for (std::size_t s = 0; s + 1 < blocks; ++s) {
            const std::size_t t = s + below(blocks - s);
            if (t != s) std::swap_ranges(rows + s * size, rows + (s + 1) * size, rows + t * size);
        }
    }

  private:
    std::uint64_t state_;
};

}  // namespace suffice
