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

// affine.cpp: out (n, k) = (x − shift) matrix + offset; shift (d) may be null, matrix is (d, k), offset (k).
template <class T>
void affine(const View<T>& x, const double* shift, const double* matrix, const double* offset, std::size_t outputs,
            const Runtime& runtime, T* out);

// diagonal_log_density.cpp: out (n, k) = log N(x; mean_k, diag variance_k), both (k, d); NaN cells are left out, and
// so are columns of infinite variance.
template <class T>
void diagonal_log_density(const View<T>& x, const double* mean, const double* variance, std::size_t components,
                          const Runtime& runtime, double* out);

// first_bad.cpp: row * cols + col of the first infinite (or, unless allowed, NaN) cell; -1 where there is none.
template <class T>
std::int64_t first_bad(const View<T>& x, bool allow_nan, const Runtime& runtime);

}  // namespace suffice
