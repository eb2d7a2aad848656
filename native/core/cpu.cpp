// Which instruction-set level this machine runs, so that Python can load the matching kernels.
#include <nanobind/nanobind.h>

namespace {

const char* level() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "v4";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return "v3";
    return "v2";
#else
    return "base";
#endif
}

}  // namespace

NB_MODULE(_cpu, m) {
    m.def("level", &level, "The best x86-64 level of this machine: 'v2', 'v3', 'v4'; 'base' elsewhere.");
}
