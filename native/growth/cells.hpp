// What rows add up to in the nodes of a tree, in whole numbers: the same sums in any order, on any number of threads and
// for any cut of the rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace suffice {

using Row = std::uint32_t;
using Code = std::uint8_t;
using Place = std::uint32_t;  // a code, or the rank of a value among those of its column
constexpr std::size_t kCodes = 256;
constexpr Code kMissing = 255;  // the code of a missing cell; a column has at most 255 others
constexpr Place kNoPlace = ~Place{0};  // the rank of a missing cell

// Two sums: of weighted targets and of weights, or of gradients and curvatures.
struct PairSums {
    std::int64_t first = 0, second = 0;

    PairSums operator+(PairSums o) const { return {first + o.first, second + o.second}; }
    PairSums operator-(PairSums o) const { return {first - o.first, second - o.second}; }
    PairSums& operator+=(PairSums o) { return *this = *this + o; }
    bool empty() const { return first == 0 && second == 0; }
};

using Codes256 = std::array<std::uint64_t, 4>;  // a set of codes

inline bool contains(const Codes256& set, std::size_t code) { return set[code >> 6] >> (code & 63) & 1; }
inline void insert(Codes256& set, std::size_t code) { set[code >> 6] |= std::uint64_t{1} << (code & 63); }

}  // namespace suffice
