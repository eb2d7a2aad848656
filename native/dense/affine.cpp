// Rows shifted, multiplied by a small matrix, shifted again: what every linear transform and prediction does.
//
// Several rows share each load of the matrix; a single output column is a dot product along the row instead.
#include <cstring>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 64;  // rows brought into the cache at once
constexpr int kRows = 4;            // rows that share a load of the matrix

template <class T>
void shift_rows(const View<T>& x, std::size_t first, std::size_t count, const double* shift, double* out) {
    copy_rows(x, first, count, out, x.cols);
    if (!shift) return;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) out[i * x.cols + j] -= shift[j];
}

double dot(const double* a, const double* b, std::size_t d) {
    Vec sum{};
    std::size_t j = 0;
    for (; j + kLanes <= d; j += kLanes) sum += load(a + j) * load(b + j);
    double total = sum_lanes(sum);
    for (; j < d; ++j) total += a[j] * b[j];
    return total;
}

// out[R, P vectors] = rows[R, d] · matrix[d, P vectors] + offset
template <int R, int P>
void multiply_tile(const double* rows, std::size_t d, const double* matrix, std::size_t width, const double* offset,
                   double* out) {
    Vec sum[R][P];
    for (int r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) sum[r][p] = load(offset + p * kLanes);
    for (std::size_t j = 0; j < d; ++j, matrix += width) {
        Vec right[P];
        for (int p = 0; p < P; ++p) right[p] = load(matrix + p * kLanes);
        for (int r = 0; r < R; ++r) {
            const Vec left = broadcast(rows[r * d + j]);
            for (int p = 0; p < P; ++p) sum[r][p] += left * right[p];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) store(out + r * width + p * kLanes, sum[r][p]);
}

template <int P>
void multiply_rows(const double* rows, std::size_t count, std::size_t d, const double* matrix, std::size_t width,
                   const double* offset, double* out) {
    std::size_t i = 0;
    for (; i + kRows <= count; i += kRows)
        multiply_tile<kRows, P>(rows + i * d, d, matrix, width, offset, out + i * width);
    for (; i < count; ++i) multiply_tile<1, P>(rows + i * d, d, matrix, width, offset, out + i * width);
}

// The outputs padded to whole vectors: matrix (d, width), offset (width).
struct Padded {
    std::size_t columns, width;
    std::vector<double> matrix, offset;

    Padded(const double* m, const double* o, std::size_t d, std::size_t k)
        : columns(k), width(round_up(k, kLanes)), matrix(d * width), offset(width) {
        for (std::size_t j = 0; j < d; ++j) std::copy_n(m + j * k, k, &matrix[j * width]);
        std::copy_n(o, k, offset.begin());
    }
};

void multiply_block(const double* rows, std::size_t count, std::size_t d, const Padded& p, double* out) {
    std::size_t column = 0;
    auto part = [&](auto multiply, std::size_t vectors) {
        multiply(rows, count, d, &p.matrix[column], p.width, &p.offset[column], out + column);
        column += vectors * kLanes;
    };
    while (column + 4 * kLanes <= p.width) part(multiply_rows<4>, 4);
    while (column + 2 * kLanes <= p.width) part(multiply_rows<2>, 2);
    if (column < p.width) part(multiply_rows<1>, 1);
}

// out (n, k) = (x − shift) matrix + offset; shift (d) may be null, matrix is (d, k), offset (k).
template <class T>
void affine(const View<T>& x, const double* shift, const double* matrix, const double* offset, std::size_t outputs,
            const Runtime& runtime, T* out) {
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, kBlock * 4);
    const Padded padded(matrix, offset, d, outputs);
    struct Scratch {
        std::vector<double> rows, products;
    };
    auto work = [&](std::size_t k, Scratch& s) {
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(k) - first);
            const double* rows = s.rows.data();
            if (shift)
                shift_rows(x, first, count, shift, s.rows.data());
            else
                rows = rows_as_double(x, first, count, s.rows.data());
            T* block = out + first * outputs;
            if (outputs == 1) {
                for (std::size_t i = 0; i < count; ++i)
                    block[i] = static_cast<T>(dot(rows + i * d, matrix, d) + offset[0]);
                continue;
            }
            multiply_block(rows, count, d, padded, s.products.data());
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < outputs; ++j)
                    block[i * outputs + j] = static_cast<T>(s.products[i * padded.width + j]);
        }
    };
    for_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(d) * static_cast<double>(outputs + 1), runtime,
        [&] { return Scratch{std::vector<double>(kBlock * d), std::vector<double>(kBlock * padded.width)}; }, work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("affine", [](Matrix<T> x, Optional<Input> shift, Full<double> matrix, Input offset, int threads,
                       Result<T> out) {
        expect("shift", shift, x.shape(1));
        expect("matrix", matrix, x.shape(1) * offset.size());
        expect("out", out, x.shape(0) * offset.size());
        const double* s = pointer(shift);
        call(threads, [&](const Runtime& r) {
            affine<T>(view<T>(x), s, matrix.data(), offset.data(), offset.size(), r, out.data());
        });
    }, nb::arg("x"), nb::arg("shift").none(), nb::arg("matrix"), nb::arg("offset"), nb::arg("threads"),
       nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
