// The module: whatever kernels have registered.
#include "core/binding.hpp"

NB_MODULE(SUFFICE_MODULE, m) {
    m.doc() = "Suffice's kernels, compiled for one instruction-set level.";
    for (auto add : suffice::registry()) add(m);
}
