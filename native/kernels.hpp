// The kernels: one file each, compiled for float and double input. Sums are always doubles.
#pragma once

#include "parallel.hpp"
#include "view.hpp"

namespace suffice {

// moments.cpp: weight, mean (d) and centred scatter (d, d) of the columns of [x | y], d = x.cols + y.cols.
template <class T>
void moments(const View<T>& x, const View<double>& y, const double* row_weight, const Runtime& runtime,
             double* weight, double* mean, double* scatter);

// grouped_moments.cpp: for each group and column the weight, mean and centred sum of squares, (k, d) each, of the
// cells that are not NaN; group_weight (k) counts all rows. A null `group` puts all rows into group 0.
template <class T>
void grouped_moments(const View<T>& x, const std::int64_t* group, std::size_t groups, const double* row_weight,
                     const Runtime& runtime, double* group_weight, double* weight, double* mean, double* scatter);

// first_bad.cpp: row * cols + col of the first infinite (or, unless allowed, NaN) cell; -1 where there is none.
template <class T>
std::int64_t first_bad(const View<T>& x, bool allow_nan, const Runtime& runtime);

}  // namespace suffice
