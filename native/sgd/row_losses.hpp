// Losses of one row: value and derivative at the linear predictor, by number (see backend/sgd/native.py).
#pragma once

#include <algorithm>
#include <cmath>

namespace suffice {

enum RowLoss { kHinge, kSquaredHinge, kLogistic, kModifiedHuber, kPerceptron, kSquared, kHuber, kInsensitive,
               kSquaredInsensitive, kRowLosses };

struct LossAt {
    double value, slope;
};

inline LossAt of_margin(int loss, double margin) {
    switch (loss) {
        case kHinge: return margin < 1 ? LossAt{1 - margin, -1} : LossAt{0, 0};
        case kSquaredHinge: return margin < 1 ? LossAt{(1 - margin) * (1 - margin), 2 * (margin - 1)} : LossAt{0, 0};
        case kModifiedHuber:
            if (margin >= 1) return {0, 0};
            if (margin >= -1) return {(1 - margin) * (1 - margin), 2 * (margin - 1)};
            return {-4 * margin, -4};
        case kPerceptron: return {margin < 0 ? -margin : 0.0, margin <= 0 ? -1.0 : 0.0};
        default: {
            const double e = std::exp(-std::abs(margin));
            return {std::log1p(e) - std::min(margin, 0.0), -(margin < 0 ? 1.0 : e) / (1 + e)};
        }
    }
}

inline LossAt of_rest(int loss, double rest, double parameter) {  // rest = η − y
    const double size = std::abs(rest), side = rest > 0 ? 1.0 : rest < 0 ? -1.0 : 0.0, over = size - parameter;
    switch (loss) {
        case kHuber:
            if (size <= parameter) return {0.5 * rest * rest, rest};
            return {parameter * (size - 0.5 * parameter), parameter * side};
        case kInsensitive: return over > 0 ? LossAt{over, side} : LossAt{0, 0};
        case kSquaredInsensitive: return over > 0 ? LossAt{over * over, 2 * over * side} : LossAt{0, 0};
        default: return {0.5 * rest * rest, rest};
    }
}

inline LossAt loss_at(int loss, double eta, double y, double parameter) {
    if (loss >= kSquared) return of_rest(loss, eta - y, parameter);
    const LossAt found = of_margin(loss, y * eta);
    return {found.value, y * found.slope};
}

}  // namespace suffice
