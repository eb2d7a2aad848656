// Value, gradient and curvature of a loss for every row, where predictors are known.
#pragma once

#include <algorithm>

#include "predictors/row_losses.hpp"

namespace suffice {

struct Known {
    const double *eta, *y, *weight;  // weight: null for 1
    double *gradient, *curvature;    // curvature: null where nobody asks for it
};

// Σ w ℓ of some rows.
template <class Loss>
double parts_of(const Loss& loss, const Known& k, std::size_t begin, std::size_t end) {
    Vec total{};
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
        const LossParts found = loss.parts(load(k.eta + i), load(k.y + i));
        const Vec weight = k.weight ? load(k.weight + i) : broadcast(1.0);
        total += weight > 0.0 ? weight * found.value : Vec{};
        store(k.gradient + i, found.gradient);
        if (k.curvature) store(k.curvature + i, found.curvature);
    }
    if (i < end) {
        const std::size_t count = std::min<std::size_t>(kLanes, end - i);
        double eta[kLanes], y[kLanes], w[kLanes] = {};
        for (std::size_t l = 0; l < kLanes; ++l) {
            const std::size_t at = i + std::min(l, count - 1);
            eta[l] = k.eta[at], y[l] = k.y[at];
            if (l < count) w[l] = k.weight ? k.weight[at] : 1.0;
        }
        const LossParts found = loss.parts(load(eta), load(y));
        const Vec weight = load(w);
        total += weight > 0.0 ? weight * found.value : Vec{};
        double gradient[kLanes], curvature[kLanes];
        store(gradient, found.gradient), store(curvature, found.curvature);
        std::copy_n(gradient, count, k.gradient + i);
        if (k.curvature) std::copy_n(curvature, count, k.curvature + i);
    }
    return sum_lanes(total);
}

}  // namespace suffice
