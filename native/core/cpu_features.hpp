// What this x86-64 machine and its operating system run. Asked of the machine itself: the compilers' own answer,
// __builtin_cpu_supports, needs a run-time library that is not linked on Windows.
#pragma once

#include <cpuid.h>

namespace suffice {

struct CpuFeatures {
    bool v3 = false, v4 = false, byte_products = false;  // levels of x86-64, and AVX-512 VNNI
};

// Which registers the operating system keeps when it switches between processes.
inline unsigned kept_registers() {
    unsigned low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

inline CpuFeatures cpu_features() {
    constexpr unsigned kFma = 1u << 12, kOsxsave = 1u << 27;                              // leaf 1, ecx
    constexpr unsigned kAvx2 = 1u << 5, kBmi2 = 1u << 8;                                  // leaf 7, ebx
    constexpr unsigned kAvx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;               // F, DQ, BW, VL
    constexpr unsigned kVnni = 1u << 11;                                                  // leaf 7, ecx
    constexpr unsigned kYmm = 0x06, kZmm = 0xe6;
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & kOsxsave)) return {};
    const unsigned kept = kept_registers();
    const bool fma = ecx & kFma;
    if ((kept & kYmm) != kYmm || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return {};
    CpuFeatures found;
    found.v3 = fma && (ebx & kAvx2) && (ebx & kBmi2);
    found.v4 = found.v3 && (kept & kZmm) == kZmm && (ebx & kAvx512) == kAvx512;
    found.byte_products = found.v4 && (ecx & kVnni);
    return found;
}

}  // namespace suffice
