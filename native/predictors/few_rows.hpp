// Few rows, kept column by column about their mean, and Newton's method for what is summed over them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/clock.hpp"
#include "core/simd.hpp"
#include "core/view.hpp"

namespace suffice {

// Rows of weight above 0; columns lie one after the other, filled up with rows that weigh nothing.
struct FewRows {
    std::size_t n = 0, p, stride;
    std::vector<double> cells, mean, y, weight;
    double total = 0;

    template <class T>
    FewRows(const View<T>& x, const double* targets, const double* weights, bool centred) : p(x.cols), mean(x.cols) {
        stride = round_up(x.rows, kLanes);
        cells.resize(p * stride);
        y.resize(stride);
        weight.resize(stride);
        for (std::size_t i = 0; i < x.rows; ++i) {
            const double w = weights ? weights[i] : 1.0;
            if (!(w > 0)) continue;
            for (std::size_t j = 0; j < p; ++j) cells[j * stride + n] = static_cast<double>(x.at(i, j));
            y[n] = targets[i];
            weight[n++] = w;
            total += w;
        }
        for (std::size_t i = n; n && i < stride; ++i) y[i] = y[0];
        for (std::size_t j = 0; centred && total > 0 && j < p; ++j) centre(j);
    }

    const double* column(std::size_t j) const { return cells.data() + j * stride; }

    // Σ factor · column j.
    double along(const double* factor, std::size_t j) const { return dot(factor, column(j)); }

    double dot(const double* a, const double* b) const {
        Vec sum{};
        for (std::size_t i = 0; i < stride; i += kLanes) sum += load(a + i) * load(b + i);
        return sum_lanes(sum);
    }

    double sum(const double* a) const {
        Vec sum{};
        for (std::size_t i = 0; i < stride; i += kLanes) sum += load(a + i);
        return sum_lanes(sum);
    }

  private:
    void centre(std::size_t j) {
        mean[j] = dot(weight.data(), column(j)) / total;
        for (std::size_t i = 0; i < n; ++i) cells[j * stride + i] -= mean[j];
    }
};

// Where Newton's method stands: parameters, the objective there and its gradient.
struct Place {
    std::vector<double> theta, gradient;
    double value = 0;

    explicit Place(std::size_t size) : theta(size), gradient(size) {}
};

inline double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// Solves a symmetric system (m, m), of which the lower half is read, in units of its diagonal; false where it is
// singular to rounding, or nearly so.
inline bool solve_in_place(std::vector<double>& system, std::size_t m, std::vector<double>& right) {
    std::vector<double> unit(m);
    for (std::size_t i = 0; i < m; ++i) {
        if (!(system[i * m + i] > 0)) return false;
        unit[i] = 1 / std::sqrt(system[i * m + i]);
    }
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = system[i * m + j] * unit[i] * unit[j];
            for (std::size_t l = 0; l < j; ++l) rest -= system[i * m + l] * system[j * m + l];
            if (i == j && !(rest > 1e-13)) return false;
            system[i * m + j] = i == j ? std::sqrt(rest) : rest / system[j * m + j];
        }
        double rest = right[i] * unit[i];
        for (std::size_t l = 0; l < i; ++l) rest -= system[i * m + l] * right[l];
        right[i] = rest / system[i * m + i];
    }
    for (std::size_t i = m; i-- > 0;) {
        for (std::size_t l = i + 1; l < m; ++l) right[i] -= system[l * m + i] * right[l];
        right[i] /= system[i * m + i];
    }
    for (std::size_t i = 0; i < m; ++i) right[i] *= unit[i];
    return true;
}

struct NewtonLimits {
    double tol, size;  // a step that promises less than tol · max(|F|, size) is the last; below 0: |F| at the start
    double flat;       // where it is above 0, steps end where the slope along them is this part of the first one
    std::int64_t most;
};

enum NewtonStatus { kMore = 0, kDone = 1, kNoStep = 2, kSingular = 3 };

struct NewtonResult {
    int status;
    std::int64_t steps;
    double first;  // F at the start
};

inline constexpr double kRounding = 8 * 0x1p-52;
inline constexpr int kHalvings = 40;

// The place `length` along a change.
template <class Model>
void move(Model& model, const Place& at, const std::vector<double>& change, double length, Place& found) {
    for (std::size_t i = 0; i < change.size(); ++i) found.theta[i] = at.theta[i] + length * change[i];
    model.evaluate(found);
}

// The farthest of the halved steps that lowers the objective enough.
template <class Model>
bool halved(Model& model, const Place& at, const std::vector<double>& change, double gain, Place& found) {
    double length = 1;
    for (int k = 0; k < kHalvings; ++k, length /= 2) {
        move(model, at, change, length, found);
        if (found.value <= at.value - 1e-4 * length * gain + kRounding * std::abs(at.value)) return true;
    }
    return false;
}

// A step at whose end a convex objective is flat along it: the root of a slope that only rises is enclosed.
template <class Model>
bool searched(Model& model, const Place& at, const std::vector<double>& change, double flat, Place& found) {
    const double first = product(at.gradient, change), slack = kRounding * std::abs(at.value);
    double low = 0, high = 0, low_slope = first, high_slope = 0, length = 1;
    for (int k = 0; k < kHalvings; ++k) {
        move(model, at, change, length, found);
        const double slope = product(found.gradient, change);
        const bool lower = found.value <= at.value + slack;
        if (lower && std::abs(slope) <= -flat * first) return true;
        if (lower && slope < 0) {
            low = length;
            low_slope = slope;
        } else {
            high = length;
            high_slope = slope > 0 ? slope : 0;
        }
        if (high == 0) {
            length *= 2;
            continue;
        }
        const double share = high_slope > 0 ? -low_slope / (high_slope - low_slope) : 0.5;
        length = low + (high - low) * std::min(std::max(share, 0.1), 0.9);
    }
    return found.value <= at.value + slack;
}

// history: a row (objective, gain) of each step.
template <class Model>
NewtonResult newton_steps(Model& model, Place& at, const NewtonLimits& limits, const Runtime& runtime, double* history) {
    Clock clock(runtime);
    Place found(at.theta.size());
    std::vector<double> change(at.theta.size());
    auto passed = [&](std::int64_t k, double objective, double gain) {
        history[2 * k] = objective;
        history[2 * k + 1] = gain;
    };
    model.evaluate(at);
    const double first = at.value, size = limits.size < 0 ? std::abs(first) : limits.size;
    for (std::int64_t k = 0; k < limits.most; ++k) {
        clock.poll();
        if (!std::isfinite(at.value) || !model.change(at, change)) return {kSingular, k, first};
        const double gain = -0.5 * product(at.gradient, change);
        if (!std::isfinite(gain)) return {kSingular, k, first};
        if (gain <= kRounding * std::abs(at.value)) {
            passed(k, at.value, gain);
            // Nobody sees it in the objective, but in the digits of parameters.
            for (std::size_t i = 0; limits.flat == 0 && i < change.size(); ++i) at.theta[i] += change[i];
            return {kDone, k + 1, first};
        }
        const bool lowered = limits.flat > 0 ? searched(model, at, change, limits.flat, found)
                                             : halved(model, at, change, gain, found);
        const double after = lowered ? found.value : at.value;
        const bool done = gain <= limits.tol * std::max(std::abs(after), size);
        if (lowered) std::swap(at, found);
        passed(k, after, gain);
        if (!lowered) model.evaluate(at);
        if (done || !lowered) return {done ? kDone : kNoStep, k + 1, first};
    }
    return {kMore, limits.most, first};
}

}  // namespace suffice
