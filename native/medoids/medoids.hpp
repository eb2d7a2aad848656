// What the kernels of k-medoids share: a square matrix of dissimilarities, read a row at a time in whole vectors.
#pragma once

#include "core/binding.hpp"
#include "core/clock.hpp"
#include "core/vectors.hpp"

namespace suffice {

constexpr std::size_t kStripeCells = 1 << 17;  // cells judged between two looks at the other threads

inline double sum(Vec v) {
    double total = 0;
    for (int l = 0; l < kLanes; ++l) total += v[l];
    return total;
}

template <class T>
struct Table {
    View<T> view;          // symmetric, rows contiguous
    const double* weight;  // (n) or null

    std::size_t n() const { return view.rows; }
    const T* row(std::size_t i) const { return &view.at(i, 0); }
    double at(std::size_t i, std::size_t j) const { return static_cast<double>(row(i)[j]); }
    double weight_of(std::size_t i) const { return weight ? weight[i] : 1.0; }
    bool counts(std::size_t i) const { return !weight || weight[i] > 0; }
    double cells(std::size_t rows) const { return static_cast<double>(rows) * static_cast<double>(n()); }
    std::size_t height() const { return std::max<std::size_t>(1, kStripeCells / std::max<std::size_t>(1, n())); }  // rows of a stripe
};

// Refuses as many medoids as there cannot be.
template <class Medoids>
void expect_medoids(const Medoids& medoids, std::size_t n) {
    if (medoids.size() == 0 || medoids.size() > n) throw nb::value_error("there are as many medoids as rows at most, and one at least");
}

}  // namespace suffice
