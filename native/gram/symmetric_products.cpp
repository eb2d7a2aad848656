// The product of a symmetric matrix with two vectors, of which half of the matrix is read: once for both.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr std::size_t kRows = 8;     // rows of the matrix that share the loads of the vectors
constexpr std::size_t kParts = 16;   // of about as many cells of the lower triangle each, whatever the threads

// The rows where a part begins: cells below row i grow as i².
std::size_t part_begin(std::size_t part, std::size_t n) {
    if (part >= kParts) return n;
    const double share = std::sqrt(static_cast<double>(part) / static_cast<double>(kParts));
    return static_cast<std::size_t>(share * static_cast<double>(n)) / kRows * kRows;
}

struct Vectors {
    const double *a, *b;   // (n)
    double *into_a, *into_b;
};

// Cells (i, j) of R rows for j < end count for row i and, mirrored, for row j.
template <std::size_t R>
void square_off(const double* const (&row)[R], std::size_t first, std::size_t end, const Vectors& v) {
    Vec sum_a[R] = {}, sum_b[R] = {};
    Vec own_a[R], own_b[R];
    for (std::size_t r = 0; r < R; ++r) own_a[r] = broadcast(v.a[first + r]), own_b[r] = broadcast(v.b[first + r]);
    std::size_t j = 0;
    for (; j + kLanes <= end; j += kLanes) {
        const Vec a = load(v.a + j), b = load(v.b + j);
        Vec to_a = load(v.into_a + j), to_b = load(v.into_b + j);
        for (std::size_t r = 0; r < R; ++r) {
            const Vec cell = load(row[r] + j);
            sum_a[r] += cell * a, sum_b[r] += cell * b;
            to_a += cell * own_a[r], to_b += cell * own_b[r];
        }
        store(v.into_a + j, to_a);
        store(v.into_b + j, to_b);
    }
    for (std::size_t r = 0; r < R; ++r) {
        double a = sum_lanes(sum_a[r]), b = sum_lanes(sum_b[r]);
        for (std::size_t l = j; l < end; ++l) {
            a += row[r][l] * v.a[l], b += row[r][l] * v.b[l];
            v.into_a[l] += row[r][l] * v.a[first + r], v.into_b[l] += row[r][l] * v.b[first + r];
        }
        v.into_a[first + r] += a, v.into_b[first + r] += b;
    }
}

// Cells among rows first .. end, which meet in the diagonal.
void corner(const double* matrix, std::size_t n, std::size_t first, std::size_t end, const Vectors& v) {
    for (std::size_t i = first; i < end; ++i)
        for (std::size_t j = first; j < end; ++j) {
            const double cell = matrix[std::max(i, j) * n + std::min(i, j)];
            v.into_a[i] += cell * v.a[j], v.into_b[i] += cell * v.b[j];
        }
}

void part_of(const double* matrix, std::size_t n, std::size_t begin, std::size_t end, const Vectors& v) {
    std::size_t i = begin;
    for (; i + kRows <= end; i += kRows) {
        const double* rows[kRows];
        for (std::size_t r = 0; r < kRows; ++r) rows[r] = matrix + (i + r) * n;
        square_off(rows, i, i, v);
        corner(matrix, n, i, i + kRows, v);
    }
    for (; i < end; ++i) {
        const double* rows[1] = {matrix + i * n};
        square_off(rows, i, i, v);
        corner(matrix, n, i, i + 1, v);
    }
}

// matrix (n, n), of which the lower half counts; v and out (2, n). Parts are added in their order.
void products(const double* matrix, std::size_t n, const double* v, const Runtime& runtime, double* out) {
    std::vector<double> sums(kParts * 2 * n, 0.0);
    const double work = 4.0 * static_cast<double>(n) * static_cast<double>(n);
    for_stripes(kParts, work, runtime, [] { return 0; }, [&](std::size_t part, int&) {
        double* own = sums.data() + part * 2 * n;
        part_of(matrix, n, part_begin(part, n), part_begin(part + 1, n), {v, v + n, own, own + n});
    });
    std::fill_n(out, 2 * n, 0.0);
    for (std::size_t part = 0; part < kParts; ++part)
        for (std::size_t k = 0; k < 2 * n; ++k) out[k] += sums[part * 2 * n + k];
}

const Register registered([](nb::module_& m) {
    m.def("symmetric_products", [](Full<double> matrix, Full<double> v, int threads, Output out) {
        const std::size_t n = matrix.shape(0);
        expect("matrix", matrix, n * n);
        expect("v", v, 2 * n);
        expect("out", out, 2 * n);
        const double *cells = matrix.data(), *given = v.data();
        double* into = out.data();
        call(threads, [&](const Runtime& r) { products(cells, n, given, r, into); });
    }, nb::arg("matrix"), nb::arg("v"), nb::arg("threads"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
