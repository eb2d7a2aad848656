// The last door before memory for numbers that a kernel follows: places within an array, and where lists end in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/binding.hpp"

namespace suffice {

// Refuses numbers of cells that are not from 0 to below n.
template <class Array>
void expect_below(const char* name, const Array& numbers, std::size_t n) {
    const auto* at = numbers.data();
    std::int64_t low = 0, high = -1;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        low = std::min<std::int64_t>(low, at[i]);
        high = std::max<std::int64_t>(high, at[i]);
    }
    if (low >= 0 && high < static_cast<std::int64_t>(n)) return;
    throw nb::value_error((std::string(name) + " is out of range: " + std::to_string(low < 0 ? low : high) + " is not from 0 to " +
                           std::to_string(n) + " exclusive").c_str());
}

// Refuses ends of lists that fall, begin below 0 or do not end at `cells`, which the first of no list is as well.
inline void expect_ends(const char* name, const Codes& ends, std::size_t cells) {
    const std::int64_t* at = ends.data();
    const std::size_t q = ends.size();
    bool rises = q == 0 || at[0] >= 0;
    for (std::size_t i = 1; i < q; ++i) rises &= at[i] >= at[i - 1];
    if (rises && static_cast<std::size_t>(q > 0 ? at[q - 1] : 0) == cells) return;
    throw nb::value_error((std::string(name) + " must rise from 0 on to " + std::to_string(cells) + " cells").c_str());
}

}  // namespace suffice
