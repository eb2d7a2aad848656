// Losses of whole vectors of rows: value, gradient and curvature in the linear predictor.
#pragma once

#include "core/vector_math.hpp"

namespace suffice {

struct LossParts {
    Vec value, gradient, curvature;
};

inline constexpr double kLeastExponent = -690.0;

inline Vec absolute(Vec x) { return x < 0.0 ? -x : x; }

// exp(x); 0 or infinite where |x| is above 690.
inline Vec exp_either(Vec x) {
    const Vec e = exp_nonpositive(-absolute(x), kLeastExponent);
    return x > 0.0 ? broadcast(1.0) / e : e;
}

// log(1 + exp(-y η)) of signs y.
struct LogisticRows {
    LossParts parts(Vec eta, Vec y) const {
        const Vec margin = y * eta, e = exp_nonpositive(-absolute(margin), kLeastExponent);
        const Vec one = broadcast(1.0), whole = one / (one + e);
        const Vec share = margin < 0.0 ? whole : e * whole;  // P(the other sign)
        const Vec value = log_normal(one + e) + (margin < 0.0 ? -margin : Vec{});
        return {value, -y * share, e * whole * whole};
    }
};

// y log(y / μ) - y + μ of counts y at μ = exp η.
struct PoissonRows {
    LossParts parts(Vec eta, Vec y) const {
        const Vec mean = exp_either(eta);
        const Vec own = y * log_normal(y > 0.0 ? y : broadcast(1.0));
        return {mean - y * eta - y + own, mean - y, mean};
    }
};

// max(0, 1 - y η)² of signs y.
struct SquaredHingeRows {
    LossParts parts(Vec eta, Vec y) const {
        const Vec margin = y * eta, rest = broadcast(1.0) - margin;
        const Vec gap = rest > 0.0 ? rest : Vec{};
        return {gap * gap, -2.0 * y * gap, rest > 0.0 ? broadcast(2.0) : Vec{}};
    }
};

// ½ (y - η)².
struct SquaredRows {
    LossParts parts(Vec eta, Vec y) const {
        const Vec rest = eta - y;
        return {0.5 * rest * rest, rest, broadcast(1.0)};
    }
};

// log(μ / y) + y / μ - 1 of positive y at μ = exp η, with the expected curvature, or that of the row.
struct GammaRows {
    bool observed;

    LossParts parts(Vec eta, Vec y) const {
        const Vec share = y * exp_either(-eta);
        return {eta - log_normal(y) + share - 1.0, 1.0 - share, observed ? share : broadcast(1.0)};
    }
};

// Half the deviance of a Tweedie family of another power than 0, 1 and 2 at μ = exp η, with the expected curvature,
// or that of the row.
struct TweedieRows {
    double power;
    bool observed;

    LossParts parts(Vec eta, Vec y) const {
        const double one = 1 - power, two = 2 - power;
        const Vec first = y * exp_either(one * eta), second = exp_either(two * eta);
        const Vec own = y > 0.0 ? exp_either(two * log_normal(y > 0.0 ? y : broadcast(1.0))) : Vec{};
        const Vec bend = observed ? two * second - one * first : second;
        return {own / (one * two) - first / one + second / two, second - first, bend};
    }
};

// max(0, |y - η| - ε)².
struct SquaredInsensitiveRows {
    double epsilon;

    LossParts parts(Vec eta, Vec y) const {
        const Vec rest = eta - y, over = absolute(rest) - epsilon, gap = over > 0.0 ? over : Vec{};
        return {gap * gap, 2.0 * (rest < 0.0 ? -gap : gap), over > 0.0 ? broadcast(2.0) : Vec{}};
    }
};

// max(0, x) with a parabola from -width to width.
inline LossParts rounded_kink(Vec x, double width) {
    const Vec within = x < -width ? Vec{} : x > width ? broadcast(2 * width) : x + width;
    const Vec straight = x > width ? x - width : Vec{};
    const Vec bend = absolute(x) < width ? broadcast(0.5 / width) : Vec{};
    return {within * within / (4 * width) + straight, within / (2 * width), bend};
}

// max(0, 1 - y η) of signs y, rounded.
struct RoundedHingeRows {
    double width;

    LossParts parts(Vec eta, Vec y) const {
        const LossParts found = rounded_kink(1.0 - y * eta, width);
        return {found.value, -y * found.gradient, found.curvature};
    }
};

// max(0, |y - η| - ε), rounded.
struct RoundedInsensitiveRows {
    double epsilon, width;

    LossParts parts(Vec eta, Vec y) const {
        const LossParts above = rounded_kink(eta - y - epsilon, width), below = rounded_kink(y - eta - epsilon, width);
        return {above.value + below.value, above.gradient - below.gradient, above.curvature + below.curvature};
    }
};

// `above` (y - η) where y is above η, else `below` (η - y).
struct PinballRows {
    double above, below;

    LossParts parts(Vec eta, Vec y) const {
        const Vec rest = y - eta;
        const Vec side = rest > 0.0 ? broadcast(-above) : broadcast(below);
        return {rest > 0.0 ? above * rest : -below * rest, rest == 0.0 ? Vec{} : side, Vec{}};
    }
};

// Calls `run` with the loss of a kind, in the order of KINDS, and its two numbers.
template <class Run>
void with_loss(int kind, const double* numbers, Run run) {
    switch (kind) {
        case 0: return run(LogisticRows{});
        case 1: return run(PoissonRows{});
        case 2: return run(SquaredHingeRows{});
        case 3: return run(SquaredRows{});
        case 4: return run(GammaRows{numbers[0] != 0});
        case 5: return run(TweedieRows{numbers[0], numbers[1] != 0});
        case 6: return run(SquaredInsensitiveRows{numbers[0]});
        case 7: return run(RoundedHingeRows{numbers[0]});
        case 8: return run(RoundedInsensitiveRows{numbers[0], numbers[1]});
        default: return run(PinballRows{numbers[0], numbers[1]});
    }
}

}  // namespace suffice
