// exp and log of whole vectors, to about one unit in the last place.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/simd.hpp"

namespace suffice {

typedef std::int64_t Bits __attribute__((vector_size(kLanes * sizeof(double))));

inline Bits as_bits(Vec v) {
    Bits b;
    std::memcpy(&b, &v, sizeof b);
    return b;
}

inline Vec as_doubles(Bits b) {
    Vec v;
    std::memcpy(&v, &b, sizeof v);
    return v;
}

inline constexpr double kMagic = 0x1.8p52;  // adding it leaves the integer part in the low bits

// exp(x) for x <= 0; exactly 0 below `least`, which must be above -700. Relative errors are 1e-16, or 1e-8 by 7 powers.
template <int kPowers = 13>
inline Vec exp_nonpositive(Vec x, double least) {
    static_assert(kPowers <= 13);
    const Vec clamped = x < least ? broadcast(least) : x;
    const Vec shifted = clamped * 0x1.71547652b82fep0 + kMagic;
    const Vec n = shifted - kMagic;
    const Vec r = (clamped - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;  // ln 2 in two parts
    // The series of exp, to the 13th power by default; |r| is at most half of ln 2.
    constexpr double inverse_factorial[] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
                                            1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800,
                                            1.0 / 479001600, 1.0 / 6227020800.0};
    Vec sum = broadcast(inverse_factorial[kPowers]);
    for (int power = kPowers - 1; power >= 0; --power) sum = sum * r + inverse_factorial[power];
    const Vec value = as_doubles(as_bits(sum) + (as_bits(shifted) << 52));
    return x < least ? Vec{} : value;
}

// log(x) for x > 0 that are not denormal.
inline Vec log_normal(Vec x) {
    const Bits bits = as_bits(x);
    // The mantissa in [√½, √2): the exponent is counted from there.
    const Bits offset = bits - 0x3fe6a09e667f3bcdLL;
    const Bits exponent = offset >> 52;
    const Vec mantissa = as_doubles(bits - (exponent << 52));
    const Vec n = as_doubles(exponent + as_bits(broadcast(kMagic))) - kMagic;
    const Vec s = (mantissa - 1.0) / (mantissa + 1.0), t = s * s;  // log m = 2 artanh s
    Vec sum = broadcast(2.0 / 21);
    for (int odd = 19; odd >= 3; odd -= 2) sum = sum * t + 2.0 / odd;
    return n * 0x1.62e42fee00000p-1 + (s * 2.0 + (s * t * sum + n * 0x1.a39ef35793c76p-33));
}

}  // namespace suffice
