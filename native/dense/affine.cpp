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

// Rows that lie `stride` numbers apart, and what is subtracted from each on the way; null subtracts nothing.
template <class T>
struct Rows {
    const T* data;
    std::ptrdiff_t stride;
    const double* shift;

    const T* operator[](std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

template <class T>
double dot(const T* a, const double* shift, const double* b, std::size_t d) {
    double total = 0;
    std::size_t j = 0;
    if constexpr (sizeof(T) == sizeof(double)) {
        Vec sum{};
        for (; j + kLanes <= d; j += kLanes) sum += (shift ? load(a + j) - load(shift + j) : load(a + j)) * load(b + j);
        total = sum_lanes(sum);
    }
    for (; j < d; ++j) total += (static_cast<double>(a[j]) - (shift ? shift[j] : 0)) * b[j];
    return total;
}

// Where sums begin: at the offset, the same for every row (`step` 0), or at those of the columns before.
struct Begin {
    const double* data;
    std::size_t step;
};

// out[R, P vectors] = begin + (rows[R, d] − shift) · matrix[d, P vectors]
template <int R, int P, bool kShifted, class T>
void multiply_tile(const Rows<T>& rows, std::size_t first, std::size_t d, const double* matrix, std::size_t width,
                   Begin begin, double* out) {
    Vec sum[R][P];
    const T* row[R];
    for (int r = 0; r < R; ++r) {
        row[r] = rows[first + r];
        for (int p = 0; p < P; ++p) sum[r][p] = load(begin.data + (first + r) * begin.step + p * kLanes);
    }
    for (std::size_t j = 0; j < d; ++j, matrix += width) {
        Vec right[P];
        for (int p = 0; p < P; ++p) right[p] = load(matrix + p * kLanes);
        for (int r = 0; r < R; ++r) {
            const double cell = static_cast<double>(row[r][j]);
            const Vec left = broadcast(kShifted ? cell - rows.shift[j] : cell);
            for (int p = 0; p < P; ++p) sum[r][p] += left * right[p];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) store(out + r * width + p * kLanes, sum[r][p]);
}

template <int P, bool kShifted, class T>
void multiply_rows(const Rows<T>& rows, std::size_t count, std::size_t d, const double* matrix, std::size_t width,
                   Begin begin, double* out) {
    std::size_t i = 0;
    for (; i + kRows <= count; i += kRows)
        multiply_tile<kRows, P, kShifted>(rows, i, d, matrix, width, begin, out + i * width);
    for (; i < count; ++i) multiply_tile<1, P, kShifted>(rows, i, d, matrix, width, begin, out + i * width);
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

// out (count, width) = rows (count, d) times the rows of the matrix from `column` on, added to that of columns before.
template <bool kShifted, class T>
void multiply_block(const Rows<T>& rows, std::size_t count, std::size_t d, const Padded& p, std::size_t column,
                    double* out) {
    const double* matrix = &p.matrix[column * p.width];
    const Begin begin = column ? Begin{out, p.width} : Begin{p.offset.data(), 0};
    if (p.width == 1) {
        for (std::size_t i = 0; i < count; ++i)
            out[i] = begin.data[i * begin.step] + dot(rows[i], rows.shift, matrix, d);
        return;
    }
    std::size_t output = 0;
    auto part = [&](auto multiply, std::size_t vectors) {
        multiply(rows, count, d, matrix + output, p.width, Begin{begin.data + output, begin.step}, out + output);
        output += vectors * kLanes;
    };
    while (output + 4 * kLanes <= p.width) part(multiply_rows<4, kShifted, T>, 4);
    while (output + 2 * kLanes <= p.width) part(multiply_rows<2, kShifted, T>, 2);
    if (output < p.width) part(multiply_rows<1, kShifted, T>, 1);
}

template <class T>
void multiply_block(const Rows<T>& rows, std::size_t count, std::size_t d, const Padded& p, std::size_t column,
                    double* out) {
    if (rows.shift)
        multiply_block<true>(rows, count, d, p, column, out);
    else
        multiply_block<false>(rows, count, d, p, column, out);
}

// out (n, k) = (x − shift) matrix + offset; shift (d) may be null, matrix is (d, k), offset (k).
template <class T>
void affine(const View<T>& x, const double* shift, const double* matrix, const double* offset, std::size_t outputs,
            const Runtime& runtime, T* out) {
    if (!outputs) return;
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, kBlock * 4);
    const Padded padded(matrix, offset, d, outputs);
    struct Scratch {
        std::vector<double> rows, products;
    };
    auto work = [&](std::size_t k, Scratch& s) {
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(k) - first);
            std::size_t column = 0;
            do {
                const std::size_t width = std::min(kPanel, d - column);
                const View<T> panel{x.data + static_cast<std::ptrdiff_t>(column) * x.col_stride, x.rows, width, x.row_stride, x.col_stride};
                const double* own = shift ? shift + column : nullptr;
                if (x.col_stride == 1) {
                    multiply_block(Rows<T>{&panel.at(first, 0), x.row_stride, own}, count, width, padded, column,
                                   s.products.data());
                } else {
                    copy_rows(panel, first, count, s.rows.data(), width);
                    const auto stride = static_cast<std::ptrdiff_t>(width);
                    multiply_block(Rows<double>{s.rows.data(), stride, own}, count, width, padded, column,
                                   s.products.data());
                }
                column += kPanel;
            } while (column < d);
            T* block = out + first * outputs;
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < outputs; ++j)
                    block[i * outputs + j] = static_cast<T>(s.products[i * padded.width + j]);
        }
    };
    for_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(d) * static_cast<double>(outputs + 1),
        runtime,
        [&] {
            const std::size_t copied = x.col_stride == 1 ? 0 : kBlock * std::min(d, kPanel);
            return Scratch{std::vector<double>(copied), std::vector<double>(kBlock * padded.width)};
        },
        work);
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
