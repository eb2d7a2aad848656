// Symmetric equations of few unknowns: solved by Cholesky's factors, and with no unknown below 0 by exchanges of those
// above 0 (Kim and Park, 2011).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simd.hpp"

namespace suffice {

class Equations {
  public:
    // `common`: all rows have the same gram and ridge, so that what was factorised is kept for other rows.
    Equations(std::size_t p, bool common)
        : p_(p), width_(round_up(p, kLanes)), kept_(common && p <= 64 ? (p <= kNarrow ? 64 : 8) : 0),
          keys_(kept_), full_(p * width_), roots_(std::max<std::size_t>(kept_, 1) * p * width_), right_(width_),
          answer_(width_), slope_(width_), active_(p), some_(p) {}

    // gram (p, p) with `ridge` more on its diagonal, and right (p): `answer` (p) solves them, from where it is if no
    // unknown may be below 0.
    void solve(const double* gram, double ridge, const double* right, bool nonnegative, double* answer) {
        take(gram, ridge);
        if (nonnegative) return descend(right, answer);
        std::fill(active_.begin(), active_.end(), true);
        solve_active(right);
        std::copy_n(answer_.data(), p_, answer);
    }

  private:
    static constexpr double kLost = 1e-12;   // a pivot below this part of its diagonal is rounding: the unknown stays 0
    static constexpr double kFlat = 1e-10;   // slopes below this part of the largest are 0
    static constexpr std::size_t kMost = 2048;
    static constexpr std::size_t kExchanges = 8;
    static constexpr std::size_t kNarrow = 16;  // unknowns, of which many rows have the same above 0

    void take(const double* gram, double ridge) {
        if (gram == gram_ && ridge == ridge_) return;
        gram_ = gram, ridge_ = ridge;
        std::fill(keys_.begin(), keys_.end(), 0);
        std::fill(full_.begin(), full_.end(), 0.0);
        for (std::size_t i = 0; i < p_; ++i) {
            std::copy_n(gram + i * p_, p_, full_.data() + i * width_);
            full_[i * width_ + i] += ridge;
        }
    }

    double curve(std::size_t j) const { return full_[j * width_ + j]; }

    // Cholesky's factor of the active unknowns, the inverse of each pivot on the diagonal: found now, or before.
    const double* root() {
        std::uint64_t key = 0;
        count_ = 0;
        for (std::size_t j = 0; j < p_; ++j)
            if (active_[j]) some_[count_++] = j, key |= std::uint64_t{1} << (j & 63);
        if (kept_ == 0) return factorise(roots_.data());
        const std::size_t slot = (key * 0x9E3779B97F4A7C15u >> 32) % kept_;
        double* own = roots_.data() + slot * p_ * width_;
        if (keys_[slot] == key) return own;
        keys_[slot] = key;
        return factorise(own);
    }

    const double* factorise(double* root) {
        for (std::size_t i = 0; i < count_; ++i) {
            const double* from = full_.data() + some_[i] * width_;
            double* own = root + i * width_;
            std::fill_n(own, width_, 0.0);
            for (std::size_t j = i; j < count_; ++j) own[j] = from[some_[j]];
        }
        for (std::size_t j = 0; j < count_; ++j) {
            double* pivot = root + j * width_;
            if (!(pivot[j] > kLost * curve(some_[j]))) {
                std::fill_n(pivot, width_, 0.0);
                continue;
            }
            const double scale = 1 / std::sqrt(pivot[j]);
            for (std::size_t c = j; c < count_; ++c) pivot[c] *= scale;
            for (std::size_t i = j + 1; i < count_; ++i) less(root + i * width_, pivot[i], pivot, i);
            std::fill_n(pivot, j, 0.0);  // what whole vectors have left there
            pivot[j] = scale;
        }
        return root;
    }

    // own − factor · other from place `first` on.
    void less(double* own, double factor, const double* other, std::size_t first) const {
        for (std::size_t c = first / kLanes * kLanes; c < count_; c += kLanes)
            store(own + c, load(own + c) - broadcast(factor) * load(other + c));
    }

    // Solves the equations of the active unknowns; the others are 0 in answer_.
    void solve_active(const double* right) {
        const double* U = root();
        std::fill(right_.begin(), right_.end(), 0.0);
        for (std::size_t i = 0; i < count_; ++i) right_[i] = right[some_[i]];
        for (std::size_t j = 0; j < count_; ++j) {
            const double known = right_[j] * U[j * width_ + j];
            less(right_.data(), known, U + j * width_, j + 1);
            right_[j] = known;
        }
        for (std::size_t j = count_; j-- > 0;) {
            const double* own = U + j * width_;
            double rest = right_[j];
            for (std::size_t c = j + 1; c < count_; ++c) rest -= own[c] * right_[c];
            right_[j] = rest * own[j];
        }
        std::fill(answer_.begin(), answer_.end(), 0.0);
        for (std::size_t i = 0; i < count_; ++i) answer_[some_[i]] = right_[i];
    }

    // Unknowns above 0 are exchanged with those at 0 all at once until the equations hold; where that goes in circles,
    // coordinate descent finds which are above 0.
    void descend(const double* right, double* answer) {
        double largest = 0;
        bool any = false;
        for (std::size_t j = 0; j < p_; ++j) {
            largest = std::max(largest, std::abs(right[j]));
            if (!(curve(j) > 0)) answer[j] = 0;
            active_[j] = answer[j] > 0;
            any = any || active_[j];
        }
        if (largest == 0) {
            std::fill_n(answer, p_, 0.0);
            return;
        }
        if (!any)
            for (std::size_t j = 0; j < p_; ++j) active_[j] = curve(j) > 0 && right[j] > 0;
        for (std::size_t turn = 0; turn < kExchanges; ++turn)
            if (settles(right, largest, answer)) return;
        sweep(right, largest, answer);
    }

    // Whether the active unknowns are those of the solution, which `answer` is then; if not, those on the wrong side
    // are exchanged.
    bool settles(const double* right, double largest, double* answer) {
        solve_active(right);
        slopes(right, answer_.data());
        bool settled = true;
        for (std::size_t j = 0; j < p_; ++j) {
            if (answer_[j] >= 0 && slope_[j] >= -kFlat * largest) continue;
            active_[j] = !active_[j] && curve(j) > 0;
            settled = false;
        }
        if (settled) std::copy_n(answer_.data(), p_, answer);
        return settled;
    }

    void slopes(const double* right, const double* answer) {
        for (std::size_t j = 0; j < p_; ++j) slope_[j] = -right[j];
        for (std::size_t j = 0; j < p_; ++j)
            if (answer[j] != 0) move(j, answer[j]);
    }

    void sweep(const double* right, double largest, double* answer) {
        slopes(right, answer);
        std::size_t next = 4;
        for (std::size_t done = 0; done < kMost; ++done) {
            if (done == next) {
                for (std::size_t j = 0; j < p_; ++j) active_[j] = answer[j] > 0;
                if (settles(right, largest, answer)) return;
                slopes(right, answer);
                next *= 2;
            }
            for (std::size_t j = 0; j < p_; ++j) {
                if (!(curve(j) > 0)) continue;
                const double after = std::max(0.0, answer[j] - slope_[j] / curve(j));
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

    const double* gram_ = nullptr;
    double ridge_ = 0;
    std::size_t p_, width_, kept_, count_ = 0;
    std::vector<std::uint64_t> keys_;
    std::vector<double> full_, roots_, right_, answer_, slope_;
    std::vector<char> active_;
    std::vector<std::size_t> some_;
};

}  // namespace suffice
