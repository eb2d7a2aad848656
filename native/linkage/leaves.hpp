// The distances of single rows from all columns of a hierarchy that grows, when they are asked for.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "distances/pair_terms.hpp"
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
template <class T, bool kGaps, class Term>
class Computed : public Leaves<T> {
    static constexpr int kAcross = kGaps ? 4 : 8;  // vectors side by side: no sum waits for the one before
    static constexpr std::size_t kWidth = kAcross * kLanes;

  public:
    Computed(std::vector<double> points, std::size_t d, Term term, const Form& form)
        : points_(std::move(points)), d_(d), term_(term), form_(form) {
        pack();
    }
    void row(std::size_t at, T* out) override {
        const std::size_t n = points_.size() / d_;
        double values[kWidth];
        for (std::size_t j = 0; j < n; j += kWidth) {
            tile<1, kGaps, kAcross>(points_.data() + at * d_, d_, panels_.data() + j * d_, term_, form_, values);
            finish(form_, values, kWidth);
            std::copy_n(values, std::min(kWidth, n - j), out + j);
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
        panels_ = packed(Rows(rows), kWidth);
    }
    std::vector<double> points_, panels_;
    std::size_t d_;
    Term term_;
    Form form_;
};

}  // namespace suffice
