// Which rows a tree sees, and how often, by its seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/binding.hpp"
#include "growth/tree.hpp"

namespace suffice {

struct Sampling {
    std::size_t draws = 0;               // 0: every row counts once, or as `times` says
    bool replace = true;                 // whether a row may be drawn again
    const std::int64_t* mass = nullptr;  // (n): the weights of the rows up to each, or null where all weigh the same

    // How many of n rows a tree sees, about.
    std::size_t rows(std::size_t n) const {
        if (draws == 0) return n;
        if (!replace) return std::min(draws, n);
        const auto all = static_cast<double>(n);
        return static_cast<std::size_t>(all * -std::expm1(-static_cast<double>(draws) / all)) + 1;
    }
    // How often each of n rows is drawn.
    void fill(std::vector<std::int32_t>& times, std::size_t n, std::uint64_t seed) const {
        times.assign(n, 0);
        std::uint64_t state = seed ^ 0xd1b54a32d192ed03u;
        if (!replace) return subset(times, n, state);
        for (std::size_t k = 0; k < draws; ++k) {
            const std::size_t at = mass ? by_mass(below(state, static_cast<std::size_t>(mass[n - 1])), n) : below(state, n);
            ++times[at];
        }
    }

  private:
    std::size_t by_mass(std::size_t drawn, std::size_t n) const {
        return static_cast<std::size_t>(std::upper_bound(mass, mass + n, static_cast<std::int64_t>(drawn)) - mass);
    }
    // So many of the rows that weigh something, each with the same chance.
    void subset(std::vector<std::int32_t>& times, std::size_t n, std::uint64_t state) const {
        std::size_t left = n, needed = draws;
        const auto counts = [&](std::size_t i) { return !mass || mass[i] > (i ? mass[i - 1] : 0); };
        if (mass) left = 0;
        for (std::size_t i = 0; mass && i < n; ++i) left += counts(i);
        for (std::size_t i = 0; i < n && needed > 0; ++i) {
            if (!counts(i)) continue;
            if (below(state, left--) < needed) times[i] = 1, --needed;
        }
    }
};

// Refuses what nobody can draw from: no rows, or rows that weigh nothing.
template <class Mass>
void expect_draws(std::size_t drawn, const std::optional<Mass>& mass, std::size_t n) {
    expect("mass", mass, n);
    if (drawn > 0 && (n == 0 || (mass && mass->data()[n - 1] <= 0))) throw nb::value_error("there is nothing to draw from");
}

// The columns that a tree may use, `drawn` of d, in their order.
inline std::vector<std::size_t> drawn_columns(std::size_t d, std::size_t drawn, std::uint64_t& seed) {
    std::vector<std::size_t> pool(d);
    std::iota(pool.begin(), pool.end(), 0);
    if (drawn >= d) return pool;
    for (std::size_t j = 0; j < drawn; ++j) std::swap(pool[j], pool[j + below(seed, d - j)]);
    pool.resize(drawn);
    std::sort(pool.begin(), pool.end());
    return pool;
}

}  // namespace suffice
