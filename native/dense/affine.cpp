// Rows shifted, multiplied by a small matrix, shifted again: what every linear transform and prediction does.
//
// Several rows share each load of the matrix; a single output column is a dot product along the row instead.
#include <cstring>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 64;   // rows worked on at once
constexpr std::size_t kPanel = 512;  // columns of them: with their part of the matrix they stay in the cache
constexpr int kRows = 4;             // rows that share a load of the matrix

// Rows that lie `stride` numbers apart.
struct Rows {
    const double* data;
    std::ptrdiff_t stride;

    const double* operator[](std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

// Rows [first, first + count) of x less the shift, which may be null: x itself where it has that form, else a copy.
template <class T>
Rows shifted(const View<T>& x, std::size_t first, std::size_t count, const double* shift, double* scratch) {
    if constexpr (sizeof(T) == sizeof(double)) {
        if (!shift && x.col_stride == 1) return {&x.at(first, 0), x.row_stride};
    }
    if (!shift || x.col_stride != 1) {
        copy_rows(x, first, count, scratch, x.cols);
        for (std::size_t i = 0; shift && i < count; ++i)
            for (std::size_t j = 0; j < x.cols; ++j) scratch[i * x.cols + j] -= shift[j];
        return {scratch, static_cast<std::ptrdiff_t>(x.cols)};
    }
    for (std::size_t i = 0; i < count; ++i) {
        const T* __restrict from = &x.at(first + i, 0);
        double* __restrict to = scratch + i * x.cols;
        for (std::size_t j = 0; j < x.cols; ++j) to[j] = static_cast<double>(from[j]) - shift[j];
    }
    return {scratch, static_cast<std::ptrdiff_t>(x.cols)};
}

double dot(const double* a, const double* b, std::size_t d) {
    Vec sum{};
    std::size_t j = 0;
    for (; j + kLanes <= d; j += kLanes) sum += load(a + j) * load(b + j);
    double total = sum_lanes(sum);
    for (; j < d; ++j) total += a[j] * b[j];
    return total;
}

// out[R, P vectors] += rows[R, d] · matrix[d, P vectors]
template <int R, int P>
void multiply_tile(const Rows& rows, std::size_t first, std::size_t d, const double* matrix, std::size_t width,
                   double* out) {
    Vec sum[R][P];
    const double* row[R];
    for (int r = 0; r < R; ++r) {
        row[r] = rows[first + r];
        for (int p = 0; p < P; ++p) sum[r][p] = load(out + r * width + p * kLanes);
    }
    for (std::size_t j = 0; j < d; ++j, matrix += width) {
        Vec right[P];
        for (int p = 0; p < P; ++p) right[p] = load(matrix + p * kLanes);
        for (int r = 0; r < R; ++r) {
            const Vec left = broadcast(row[r][j]);
            for (int p = 0; p < P; ++p) sum[r][p] += left * right[p];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) store(out + r * width + p * kLanes, sum[r][p]);
}

template <int P>
void multiply_rows(const Rows& rows, std::size_t count, std::size_t d, const double* matrix, std::size_t width,
                   double* out) {
    constexpr int kTall = P == 1 ? 2 * kRows : kRows;  // enough sums under way to hide the time that each takes
    std::size_t i = 0;
    for (; i + kTall <= count; i += kTall) multiply_tile<kTall, P>(rows, i, d, matrix, width, out + i * width);
    for (; i < count; ++i) multiply_tile<1, P>(rows, i, d, matrix, width, out + i * width);
}

// The outputs padded to whole vectors: matrix (d, width), offset (width).
struct Padded {
    std::size_t columns, width;
    std::vector<double> matrix, offset;

    Padded(const double* m, const double* o, std::size_t d, std::size_t k)
        : columns(k), width(k == 1 ? 1 : round_up(k, kLanes)), matrix(d * width), offset(width) {
        for (std::size_t j = 0; j < d; ++j) std::copy_n(m + j * k, k, &matrix[j * width]);
        std::copy_n(o, k, offset.begin());
    }
};

// out (count, width) += rows (count, d) times the rows of the matrix from `column` on.
void multiply_block(const Rows& rows, std::size_t count, std::size_t d, const Padded& p, std::size_t column,
                    double* out) {
    const double* matrix = &p.matrix[column * p.width];
    if (p.width == 1) {
        for (std::size_t i = 0; i < count; ++i) out[i] += dot(rows[i], matrix, d);
        return;
    }
    std::size_t output = 0;
    auto part = [&](auto multiply, std::size_t vectors) {
        multiply(rows, count, d, matrix + output, p.width, out + output);
        output += vectors * kLanes;
    };
    while (output + 4 * kLanes <= p.width) part(multiply_rows<4>, 4);
    while (output + 2 * kLanes <= p.width) part(multiply_rows<2>, 2);
    if (output < p.width) part(multiply_rows<1>, 1);
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
            for (std::size_t i = 0; i < count; ++i)
                std::copy_n(padded.offset.data(), padded.width, &s.products[i * padded.width]);
            for (std::size_t column = 0; column < d; column += kPanel) {
                const std::size_t width = std::min(kPanel, d - column);
                const View<T> panel{&x.at(0, column), x.rows, width, x.row_stride, x.col_stride};
                const Rows rows = shifted(panel, first, count, shift ? shift + column : nullptr, s.rows.data());
                multiply_block(rows, count, width, padded, column, s.products.data());
            }
            T* block = out + first * outputs;
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < outputs; ++j)
                    block[i * outputs + j] = static_cast<T>(s.products[i * padded.width + j]);
        }
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(d) * static_cast<double>(outputs + 1), runtime,
        [&] {
            return Scratch{std::vector<double>(kBlock * std::min(d, kPanel)), std::vector<double>(kBlock * padded.width)};
        },
        work, [](std::size_t, Scratch&) {});
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
