// Losses of whole vectors of rows: value, gradient and curvature in the linear predictor.
#pragma once

#include "core/vector_math.hpp"

namespace suffice {

struct LossParts {
    Vec value, gradient, curvature;
};

inline constexpr double kLeastExponent = -690.0;

inline Vec absolute(Vec x) { return x < 0.0 ? -x : x; }

// log(1 + exp(-y η)) of signs y.
struct LogisticRows {
    static LossParts parts(Vec eta, Vec y) {
        const Vec margin = y * eta, e = exp_nonpositive(-absolute(margin), kLeastExponent);
        const Vec one = broadcast(1.0), whole = one / (one + e);
        const Vec share = margin < 0.0 ? whole : e * whole;  // P(the other sign)
        const Vec value = log_normal(one + e) + (margin < 0.0 ? -margin : Vec{});
        return {value, -y * share, e * whole * whole};
    }
};

// y log(y / μ) - y + μ of counts y at μ = exp η.
struct PoissonRows {
    static LossParts parts(Vec eta, Vec y) {
        const Vec e = exp_nonpositive(-absolute(eta), kLeastExponent);
        const Vec mean = eta > 0.0 ? broadcast(1.0) / e : e;
        const Vec own = y * log_normal(y > 0.0 ? y : broadcast(1.0));
        return {mean - y * eta - y + own, mean - y, mean};
    }
};

// max(0, 1 - y η)² of signs y.
struct SquaredHingeRows {
    static LossParts parts(Vec eta, Vec y) {
        const Vec margin = y * eta, rest = broadcast(1.0) - margin;
        const Vec gap = rest > 0.0 ? rest : Vec{};
        return {gap * gap, -2.0 * y * gap, rest > 0.0 ? broadcast(2.0) : Vec{}};
    }
};

// ½ (y - η)².
struct SquaredRows {
    static LossParts parts(Vec eta, Vec y) {
        const Vec rest = eta - y;
        return {0.5 * rest * rest, rest, broadcast(1.0)};
    }
};

}  // namespace suffice
