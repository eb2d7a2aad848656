// What the kernels of k-medoids share: a square matrix of dissimilarities, read a row at a time in whole vectors.
#pragma once

#include <chrono>
#include <cstring>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {

constexpr std::size_t kStripeCells = 1 << 17;  // cells judged between two looks at the other threads

inline Vec load_double(const double* p) { return load(p); }

inline Vec load_double(const float* p) {
    typedef float Half __attribute__((vector_size(kLanes * sizeof(float))));
    Half v;
    std::memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, Vec);
}

// Calls body(i, get) for every vector of n numbers; get(p) reads p[i…], zeros beyond the end.
template <class Body>
void for_vectors(std::size_t n, Body body) {
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) body(i, [i](const auto* p) { return load_double(p + i); });
    if (i < n)
        body(i, [i, n](const auto* p) {
            Vec v{};
            for (std::size_t l = i; l < n; ++l) v[l - i] = static_cast<double>(p[l]);
            return v;
        });
}

inline double sum(Vec v) {
    double total = 0;
    for (int l = 0; l < kLanes; ++l) total += v[l];
    return total;
}

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
    std::size_t height() const { return std::max<std::size_t>(1, kStripeCells / n()); }  // rows of a stripe
};

}  // namespace suffice
