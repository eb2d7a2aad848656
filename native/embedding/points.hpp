// Points of a map by coordinates, with what each counts, as vectors of lanes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/simd.hpp"
#include "core/vectors.hpp"

namespace suffice {

// Points (k, width); behind the last there is room for a whole vector, whose mass is 0.
struct PointColumns {
    std::size_t k, m, width;
    std::vector<double> cells, mass;

    PointColumns(const double* rows, const double* given, std::size_t m, std::size_t k)
        : k(k), m(m), width(round_up(m, kLanes)), cells(k * width), mass(width) {
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t c = 0; c < k; ++c) cells[c * width + i] = rows[i * k + c];
            mass[i] = given ? given[i] : 1.0;
        }
    }

    const double* column(std::size_t c) const { return cells.data() + c * width; }
};

// k vectors of lanes, on the stack where k is known to the compiler (K > 0).
template <int K>
struct Lanes {
    std::array<Vec, K> own{};
    explicit Lanes(std::size_t) {}
    Vec& operator[](std::size_t c) { return own[c]; }
    void clear() { own.fill(Vec{}); }
};
template <>
struct Lanes<0> {
    std::vector<Vec> own;
    explicit Lanes(std::size_t k) : own(k) {}
    Vec& operator[](std::size_t c) { return own[c]; }
    void clear() { std::fill(own.begin(), own.end(), Vec{}); }
};

// Calls body.template operator()<K>() with K = k for 1 to 3 coordinates, else with 0.
template <class Body>
void with_coordinates(std::size_t k, Body body) {
    switch (k) {
        case 1: return body.template operator()<1>();
        case 2: return body.template operator()<2>();
        case 3: return body.template operator()<3>();
        default: return body.template operator()<0>();
    }
}

// Where a field is written: values (q), slopes (q, k), and curvatures (q, k, k) where they are asked for.
struct Field {
    double *value, *slope, *curve;
};

// Σ w (a I + b d dᵀ) of one row, by its lanes.
template <int K>
class Curvature {
  public:
    explicit Curvature(std::size_t k) : k_(k), pairs_(k * (k + 1) / 2) {}

    void clear() {
        level_ = Vec{};
        std::fill(pairs_.begin(), pairs_.end(), Vec{});
    }
    void add(Vec level, Vec outer, Lanes<K>& apart) {
        level_ += level;
        std::size_t at = 0;
        for (std::size_t a = 0; a < k_; ++a)
            for (std::size_t b = 0; b <= a; ++b) pairs_[at++] += outer * apart[a] * apart[b];
    }
    void write(double* curve) const {
        const double level = sum_lanes(level_);
        std::size_t at = 0;
        for (std::size_t a = 0; a < k_; ++a)
            for (std::size_t b = 0; b <= a; ++b) {
                const double value = sum_lanes(pairs_[at++]) + (a == b ? level : 0.0);
                curve[a * k_ + b] = curve[b * k_ + a] = value;
            }
    }

  private:
    std::size_t k_;
    Vec level_{};
    std::vector<Vec> pairs_;
};

}  // namespace suffice
