// Built without fused operations, see CMakeLists.txt.
#define SUFFICE_PLAIN
#include "distances/pair_tiles.hpp"

namespace suffice {

PairSums plain_pair_sums(const std::string& kind, double p, std::size_t numbers, const Form& form) {
    return make_pair_sums(kind, p, numbers, form);
}

}  // namespace suffice
