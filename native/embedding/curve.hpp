// How alike two points of a map look, ν = 1 / (1 + t) with t = a w^b, by whole vectors of w.
#pragma once

#include "core/vector_math.hpp"

namespace suffice {

struct Curve {
    double a, b, room;  // w is the squared distance and `room`, so that equal points are no pole
};

// 1 / (1 + t) and t / (1 + t) as parts of a sum, so that none overflows and who needs a quotient divides once.
struct Looks {
    Vec near, far, sum;
};

inline Looks looks(Vec wide, const Curve& curve) {
    const Vec power = log_normal(wide) * curve.b;
    const auto small = power < 0;
    const Vec e = exp_nonpositive(small ? power : -power, -690);  // w^b, or one over it where it is large
    const Vec one = broadcast(1.0), a = broadcast(curve.a), near = small ? one : e, far = small ? a * e : a;
    return {near, far, near + far};
}

}  // namespace suffice
