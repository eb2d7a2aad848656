// What the cells of two rows in one column add to their distance.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/simd.hpp"
#include "core/vector_math.hpp"

namespace suffice {

inline Vec absolute(Vec x) { return x < 0 ? -x : x; }

// x^p of x >= 0 for p > 0; NaN stays.
inline Vec power(Vec x, double p) {
    const Vec tiny = broadcast(std::numeric_limits<double>::min());
    const Vec exponent = p * log_normal(x > tiny ? x : tiny);
    const Vec below = exp_nonpositive(exponent > 0 ? -exponent : exponent, -699.0);
    const Vec value = exponent > 0 ? 1.0 / below : below;
    return x > tiny ? value : (x == x ? Vec{} : x);
}

// ---- what two cells add; NaN where one of them is missing ----

struct Summed {
    static Vec join(Vec sum, Vec value) { return sum + value; }
};

struct Squared : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const { return (x - y) * (x - y); }
};

struct Absolute : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const { return absolute(x - y); }
};

struct Largest {
    static Vec join(Vec sum, Vec value) { return value > sum ? value : sum; }
    Vec operator()(Vec x, Vec y, std::size_t) const { return absolute(x - y); }
};

struct Power : Summed {
    double p;
    Vec operator()(Vec x, Vec y, std::size_t) const { return power(absolute(x - y), p); }
};

struct Different : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const {
        const Vec apart = x - y;
        return apart > 0 ? broadcast(1.0) : (apart < 0 ? broadcast(1.0) : apart);
    }
};

// Sets as rows of 0 and 1: the cells that are in neither do not count.
struct Membership : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const {
        return x + y > 0 ? absolute(x - y) : broadcast(std::numeric_limits<double>::quiet_NaN());
    }
};

// The first `numbers` columns are numbers, the others codes of categories.
struct Mixed : Summed {
    std::size_t numbers;
    Vec operator()(Vec x, Vec y, std::size_t j) const { return j < numbers ? Absolute{}(x, y, j) : Different{}(x, y, j); }
};

struct Product : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const { return x * y; }
};

struct Smaller : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const { return y < x ? y : x; }
};

// (x − y)² / (x + y); cells of 0 add nothing.
struct ChiSquared : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const {
        const Vec both = x + y, apart = x - y;
        return apart * apart / (both > 0 ? both : broadcast(1.0));
    }
};

// (x log(x/m) + y log(y/m)) / 2 with m = (x + y) / 2, as m ((1 + t) log(1 + t) + (1 − t) log(1 − t)) / 2 with
// t = |x − y| / (x + y); near t = 0 by its series Σ t^2k / (k (2k − 1)), which does not cancel.
struct Jensen : Summed {
    static Vec entropy(Vec u) {
        const Vec tiny = broadcast(std::numeric_limits<double>::min());
        return u * log_normal(u > tiny ? u : tiny);
    }
    Vec operator()(Vec x, Vec y, std::size_t) const {
        const Vec both = x + y, t = absolute(x - y) / (both > 0 ? both : broadcast(1.0)), z = t * t;
        Vec series = broadcast(1.0 / (12 * 23));
        for (int k = 11; k >= 1; --k) series = series * z + 1.0 / (k * (2 * k - 1));
        const Vec far = entropy(1 + t) + entropy(1 - t);
        return 0.25 * both * (z < 0.0625 ? series * z : far);
    }
};

// What two more cells make of a sum. Of the file that includes it: SUFFICE_PLAIN is for one without fused operations.
namespace {

template <class Term>
Vec added(const Term& term, Vec sum, Vec x, Vec y, std::size_t j) {
#if !defined(SUFFICE_PLAIN)
    if constexpr (std::is_same_v<Term, Squared>) return plus_square(sum, x - y);
#endif
    return Term::join(sum, term(x, y, j));
}

}  // namespace

}  // namespace suffice
