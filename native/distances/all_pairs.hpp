// The distances of all pairs of rows of a table; see pairwise.cpp.
#pragma once

#include "core/parallel.hpp"
#include "distances/pair_sums.hpp"

namespace suffice {

// out (n, n), symmetric to the bit
template <class T>
void symmetric_pairs(const Rows& x, const PairSums& sums, T* out, const Runtime& runtime);

}  // namespace suffice
