// The distances of single rows from all columns of a hierarchy that grows, when they are asked for.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "distances/pair_sums.hpp"
#include "core/simd.hpp"

namespace suffice {

template <class T>
struct Leaves {
    virtual ~Leaves() = default;
    // The distances of a column from columns first to end, which go to the same places of out; parts begin at multiples of
    // kWide.
    virtual void row(std::size_t column, std::size_t first, std::size_t end, T* out) const = 0;
    virtual void squeeze(const std::vector<std::size_t>& kept) = 0;
};

// From a matrix that holds them.
template <class T>
class Given : public Leaves<T> {
  public:
    Given(const T* matrix, std::size_t n) : matrix_(matrix), n_(n), column_(n) {
        std::iota(column_.begin(), column_.end(), std::size_t{0});
    }
    void row(std::size_t at, std::size_t first, std::size_t end, T* out) const override {
        const T* own = matrix_ + column_[at] * n_;
        for (std::size_t j = first; j < end; ++j) out[j] = own[column_[j]];
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
    Computed(std::vector<double> points, std::size_t d, const PairSums& sums)
        : points_(std::move(points)), d_(d), sums_(sums) {
        pack();
    }
    void row(std::size_t at, std::size_t first, std::size_t end, T* out) const override {
        double values[kWide];
        for (std::size_t j = first; j < end; j += kWide) {
            sums_.wide(points_.data() + at * d_, d_, panels_.data() + j * d_, values);
            std::copy_n(values, std::min(kWide, end - j), out + j);
        }
    }
    void squeeze(const std::vector<std::size_t>& kept) override {
        for (std::size_t i = 0; i < kept.size(); ++i)
            std::copy_n(points_.begin() + static_cast<std::ptrdiff_t>(kept[i] * d_), d_,
                        points_.begin() + static_cast<std::ptrdiff_t>(i * d_));
        points_.resize(kept.size() * d_);
        pack();
    }

  private:
    void pack() {
        const View<double> rows{points_.data(), points_.size() / d_, d_, static_cast<std::ptrdiff_t>(d_), 1};
        panels_ = packed(Rows(rows), kWide);
    }
    std::vector<double> points_, panels_;
    std::size_t d_;
    PairSums sums_;
};

}  // namespace suffice
