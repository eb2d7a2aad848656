// The distances of single rows from all columns of a hierarchy that grows, when they are asked for.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "distances/pair_sums.hpp"
#include "core/simd.hpp"

namespace suffice {

template <class T>
struct Leaves {
    virtual ~Leaves() = default;
    virtual void row(std::size_t column, T* out) = 0;  // its distances from all columns
    virtual void squeeze(const std::vector<std::size_t>& kept) = 0;
};

// From a matrix that holds them.
template <class T>
class Given : public Leaves<T> {
  public:
    Given(const T* matrix, std::size_t n) : matrix_(matrix), n_(n), column_(n) {
        std::iota(column_.begin(), column_.end(), std::size_t{0});
    }
    void row(std::size_t at, T* out) override {
        const T* own = matrix_ + column_[at] * n_;
        for (std::size_t j = 0; j < column_.size(); ++j) out[j] = own[column_[j]];
    }
    void squeeze(const std::vector<std::size_t>& kept) override {
        for (std::size_t j = 0; j < kept.size(); ++j) column_[j] = column_[kept[j]];
        column_.resize(kept.size());
    }

  private:
    const T* matrix_;
    std::size_t n_;
    std::vector<std::size_t> column_;
};

// From rows, when they are asked for.
template <class T>
class Computed : public Leaves<T> {
  public:
    Computed(std::vector<double> points, std::size_t d, const PairSums& sums, const Runtime& runtime)
        : points_(std::move(points)), d_(d), sums_(sums), runtime_(runtime) {
        pack();
    }
    void row(std::size_t at, T* out) override {
        const std::size_t n = points_.size() / d_;
        const Stripes stripes((n + kWide - 1) / kWide, 4);  // of panels
        const double operations = 3.0 * static_cast<double>(n * d_);
        if (useful_threads(runtime_, stripes.count(), operations) == 1) return part_of_row(at, 0, n, out);
        for_stripes(stripes.count(), operations, runtime_, [] { return 0; },
                    [&](std::size_t s, int&) {
                        part_of_row(at, stripes.begin(s) * kWide, std::min(n, stripes.end(s) * kWide), out);
                    });
    }
    void squeeze(const std::vector<std::size_t>& kept) override {
        for (std::size_t i = 0; i < kept.size(); ++i)
            std::copy_n(points_.begin() + static_cast<std::ptrdiff_t>(kept[i] * d_), d_,
                        points_.begin() + static_cast<std::ptrdiff_t>(i * d_));
        points_.resize(kept.size() * d_);
        pack();
    }

  private:
    void part_of_row(std::size_t at, std::size_t first, std::size_t end, T* out) const {
        double values[kWide];
        for (std::size_t j = first; j < end; j += kWide) {
            sums_.wide(points_.data() + at * d_, d_, panels_.data() + j * d_, values);
            std::copy_n(values, std::min(kWide, end - j), out + j);
        }
    }
    void pack() {
        const View<double> rows{points_.data(), points_.size() / d_, d_, static_cast<std::ptrdiff_t>(d_), 1};
        panels_ = packed(Rows(rows), kWide);
    }
    std::vector<double> points_, panels_;
    std::size_t d_;
    PairSums sums_;
    const Runtime& runtime_;
};

}  // namespace suffice
