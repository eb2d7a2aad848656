// Which instruction-set level this machine runs, so that Python can load the matching kernels.
#include <nanobind/nanobind.h>

#if defined(__x86_64__)
#include "core/cpu_features.hpp"
#endif

namespace {

const char* level() {
#if defined(__x86_64__)
    const suffice::CpuFeatures machine = suffice::cpu_features();
    return machine.v4 ? "v4" : machine.v3 ? "v3" : "v2";
#else
    return "base";
#endif
}

}  // namespace

NB_MODULE(_cpu, m) {
    m.def("level", &level, "The best x86-64 level of this machine: 'v2', 'v3', 'v4'; 'base' elsewhere.");
}
