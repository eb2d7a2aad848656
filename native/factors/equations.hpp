// Symmetric equations of few unknowns: solved by Cholesky's factors, and with no unknown below 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/simd.hpp"

namespace suffice {

class Equations {
  public:
    explicit Equations(std::size_t p)
        : p_(p), width_(round_up(p, kLanes)), full_(p * width_), root_(p * width_), right_(width_), answer_(width_),
          slope_(width_), some_(p) {}

    // gram (p, p) with `ridge` more on its diagonal, and right (p): `answer` (p) solves them, from where it is if no
    // unknown may be below 0.
    void solve(const double* gram, double ridge, const double* right, bool nonnegative, double* answer) {
        std::fill(full_.begin(), full_.end(), 0.0);
        for (std::size_t i = 0; i < p_; ++i) {
            std::copy_n(gram + i * p_, p_, full_.data() + i * width_);
            full_[i * width_ + i] += ridge;
        }
        if (nonnegative) return descend(right, answer);
        for (std::size_t i = 0; i < p_; ++i) some_[i] = i;
        factorise(p_, right);
        std::copy_n(answer_.data(), p_, answer);
    }

  private:
    static constexpr double kLost = 1e-12;   // a pivot below this part of its diagonal is rounding: the unknown stays 0
    static constexpr double kFlat = 1e-10;   // slopes below this part of the largest are 0
    static constexpr std::size_t kMost = 2048;

    double* row(std::size_t i) { return root_.data() + i * width_; }

    // Solves the equations of the unknowns some_[0 … count) and leaves what it found in answer_.
    void factorise(std::size_t count, const double* right) {
        for (std::size_t i = 0; i < count; ++i) {
            const double* from = full_.data() + some_[i] * width_;
            std::fill_n(row(i), width_, 0.0);
            for (std::size_t j = i; j < count; ++j) row(i)[j] = from[some_[j]];
            right_[i] = right[some_[i]];
        }
        for (std::size_t j = 0; j < count; ++j) {
            const double pivot = row(j)[j];
            if (!(pivot > kLost * full_[some_[j] * width_ + some_[j]])) {
                std::fill_n(row(j), width_, 0.0);
                right_[j] = 0;
                continue;
            }
            const double scale = 1 / std::sqrt(pivot);
            for (std::size_t c = j; c < count; ++c) row(j)[c] *= scale;
            right_[j] *= scale;
            for (std::size_t i = j + 1; i < count; ++i) eliminate(j, i, count);
        }
        for (std::size_t j = count; j-- > 0;) {
            double rest = right_[j];
            for (std::size_t c = j + 1; c < count; ++c) rest -= row(j)[c] * answer_[c];
            answer_[j] = row(j)[j] > 0 ? rest / row(j)[j] : 0.0;
        }
    }

    void eliminate(std::size_t j, std::size_t i, std::size_t count) {
        const double* pivot = row(j);
        double* own = row(i);
        const double factor = pivot[i];
        for (std::size_t c = i / kLanes * kLanes; c < count; c += kLanes)
            store(own + c, load(own + c) - broadcast(factor) * load(pivot + c));
        right_[i] -= factor * right_[j];
    }

    // Coordinate descent finds which unknowns are above 0; then their equations are solved exactly.
    void descend(const double* right, double* answer) {
        double largest = 0;
        for (std::size_t j = 0; j < p_; ++j) {
            largest = std::max(largest, std::abs(right[j]));
            if (!(full_[j * width_ + j] > 0)) answer[j] = 0;
        }
        if (largest == 0) {
            std::fill_n(answer, p_, 0.0);
            return;
        }
        for (std::size_t j = 0; j < p_; ++j) slope_[j] = -right[j];
        for (std::size_t j = 0; j < p_; ++j)
            if (answer[j] != 0) move(j, answer[j]);
        std::size_t next = 0;
        for (std::size_t sweep = 0; sweep < kMost; ++sweep) {
            if (sweep == next) {
                if (settle(right, largest, answer)) return;
                next = std::max<std::size_t>(4, 2 * next);
            }
            for (std::size_t j = 0; j < p_; ++j) {
                const double curve = full_[j * width_ + j];
                if (!(curve > 0)) continue;
                const double after = std::max(0.0, answer[j] - slope_[j] / curve);
                if (after == answer[j]) continue;
                move(j, after - answer[j]);
                answer[j] = after;
            }
        }
    }

    void move(std::size_t j, double step) {
        const double* own = full_.data() + j * width_;
        for (std::size_t c = 0; c < width_; c += kLanes)
            store(slope_.data() + c, load(slope_.data() + c) + broadcast(step) * load(own + c));
    }

    // Whether the unknowns that are above 0 now are those of the solution, which `answer` is then.
    bool settle(const double* right, double largest, double* answer) {
        std::size_t count = 0;
        for (std::size_t j = 0; j < p_; ++j)
            if (answer[j] > 0) some_[count++] = j;
        if (count == 0) return false;
        factorise(count, right);
        for (std::size_t i = 0; i < count; ++i)
            if (!(answer_[i] >= 0)) return false;
        for (std::size_t j = 0; j < p_; ++j) {
            double slope = -right[j];
            for (std::size_t i = 0; i < count; ++i) slope += full_[j * width_ + some_[i]] * answer_[i];
            if (slope < -kFlat * largest) return false;
        }
        std::fill_n(answer, p_, 0.0);
        for (std::size_t i = 0; i < count; ++i) answer[some_[i]] = answer_[i];
        return true;
    }

    std::size_t p_, width_;
    std::vector<double> full_, root_, right_, answer_, slope_;
    std::vector<std::size_t> some_;
};

}  // namespace suffice
