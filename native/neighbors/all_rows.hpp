// The rows within a radius of each query by any distance, all compared; see nearest_rows.cpp.
#pragma once

#include "distances/pair_sums.hpp"
#include "neighbors/neighbours.hpp"

namespace suffice {

Found rows_within(const Rows& x, const Rows& y, const PairSums& sums, double radius, const Runtime& runtime);

}  // namespace suffice
