// Rows shifted, multiplied by a matrix, shifted again: what every linear transform and prediction does.
//
// A block of rows is made doubles less their shift, as the product of any two matrices packs them; the matrix lies in
// panels of a few vectors of outputs, and several rows share each load of it. One output is a dot product instead.
#include <cstring>
#include <vector>

#include "core/binding.hpp"
#include "core/transpose.hpp"
#include "dense/dot_rows.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 96;              // rows worked on at once
constexpr std::size_t kDepth = 128;             // columns of them: with their part of the matrix they stay in the cache
constexpr std::size_t kLong = 512;              // rows of a block where there is one output
constexpr int kRows = kLanes == 8 ? 6 : 4;      // rows that share a load of the matrix
constexpr int kVectors = kLanes == 8 ? 4 : 3;   // of outputs in a panel: the registers hold the sums of kRows of them
static_assert(kBlock % kRows == 0);

// Rows of doubles that lie `stride` numbers apart.
struct Rows {
    const double* data;
    std::size_t stride;
};

// Where sums begin: at the offset, the same for every row (`step` 0), or at those of the columns before.
struct Begin {
    const double* data;
    std::size_t step;
};

// out (R, P vectors) = begin + rows (R, d) · panel (d, P vectors)
template <int R, int P>
void multiply_tile(const double* row, std::size_t stride, std::size_t d, const double* panel, Begin begin, double* out,
                   std::size_t width) {
    Vec sum[R][P];
    for (int r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) sum[r][p] = load(begin.data + r * begin.step + p * kLanes);
    for (std::size_t j = 0; j < d; ++j, ++row, panel += P * kLanes) {
        Vec right[P];
        for (int p = 0; p < P; ++p) right[p] = load(panel + p * kLanes);
        for (int r = 0; r < R; ++r) {
            const Vec left = broadcast(row[r * stride]);
            for (int p = 0; p < P; ++p) sum[r][p] += left * right[p];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) store(out + r * width + p * kLanes, sum[r][p]);
}

template <int P>
void multiply_panel(const Rows& rows, std::size_t count, std::size_t d, const double* panel, Begin begin, double* out,
                    std::size_t width) {
    std::size_t i = 0;
    auto tile = [&](auto multiply) {
        const Begin own{begin.data + i * begin.step, begin.step};
        multiply(rows.data + i * rows.stride, rows.stride, d, panel, own, out + i * width, width);
    };
    for (; i + kRows <= count; i += kRows) tile(multiply_tile<kRows, P>);
    for (; i < count; ++i) tile(multiply_tile<1, P>);
}

// The outputs padded to whole vectors. The matrix lies in panels of kVectors vectors of outputs, the last may have
// fewer, (d, panel) each: the one that begins with an output begins at d times that.
struct Padded {
    std::size_t d, width;
    std::vector<double> matrix, offset;

    Padded(const double* m, const double* o, std::size_t d, std::size_t k)
        : d(d), width(round_up(k, kLanes)), matrix(d * width), offset(width) {
        for (std::size_t first = 0; first < k; first += kVectors * kLanes) {
            const std::size_t own = vectors(first) * kLanes, given = std::min(own, k - first);
            for (std::size_t j = 0; j < d; ++j) std::copy_n(m + j * k + first, given, &matrix[first * d + j * own]);
        }
        std::copy_n(o, k, offset.begin());
    }

    // Of the panel that begins with output `first`.
    std::size_t vectors(std::size_t first) const {
        return std::min<std::size_t>(kVectors, (width - first) / kLanes);
    }
};

// out (count, width) = rows (count, d) times the rows of the matrix from `column` on, added to that of columns before.
void multiply_block(const Rows& rows, std::size_t count, std::size_t d, const Padded& p, std::size_t column,
                    double* out) {
    for (std::size_t first = 0; first < p.width; first += kVectors * kLanes) {
        const std::size_t vectors = p.vectors(first);
        const double* panel = p.matrix.data() + first * p.d + column * vectors * kLanes;
        const Begin begin = column ? Begin{out + first, p.width} : Begin{p.offset.data() + first, 0};
        auto multiply = [&](auto of) { of(rows, count, d, panel, begin, out + first, p.width); };
        switch (vectors) {
            case 1: multiply(multiply_panel<1>); break;
            case 2: multiply(multiply_panel<2>); break;
            case 3: multiply(multiply_panel<3>); break;
            default: multiply(multiply_panel<kVectors>);
        }
    }
}

// What is subtracted from each column, (d), or null; of short rows that follow one another as often as makes long ones.
struct Shift {
    const double* each;
    std::vector<double> repeated;

    Shift(const double* shift, std::size_t d) : each(shift) {
        for (std::size_t i = 0; shift && d && i < kLongRow / d; ++i) repeated.insert(repeated.end(), shift, shift + d);
    }

    static constexpr std::size_t kLongRow = 128;  // cells
};

// out = cells less the shift, over and over again.
template <class T>
void subtract_shift(const T* cells, std::size_t count, const double* shift, std::size_t length, double* out) {
    for (std::size_t first = 0; first < count; first += length) {
        const std::size_t own = std::min(length, count - first);
        for (std::size_t j = 0; j < own; ++j) out[first + j] = static_cast<double>(cells[first + j]) - shift[j];
    }
}

// Columns [column, column + depth) of rows [first, first + count) as doubles less the shift: the source itself where it
// has that form, else in `scratch`.
template <class T>
Rows centred_rows(const View<T>& x, std::size_t column, std::size_t depth, std::size_t first, std::size_t count,
                  const Shift& shift, double* scratch) {
    const auto start = static_cast<std::ptrdiff_t>(first) * x.row_stride +
                       static_cast<std::ptrdiff_t>(column) * x.col_stride;
    const View<T> part{x.data + start, count, depth, x.row_stride, x.col_stride};
    const double* own = shift.each ? shift.each + column : nullptr;
    if constexpr (sizeof(T) == sizeof(double)) {
        if (x.col_stride == 1 && !own && x.row_stride >= 0) return {part.data, static_cast<std::size_t>(x.row_stride)};
    }
    if (x.col_stride == 1 && own && depth == x.cols && x.row_stride == static_cast<std::ptrdiff_t>(depth) &&
        !shift.repeated.empty()) {
        subtract_shift(part.data, count * depth, shift.repeated.data(), shift.repeated.size(), scratch);
    } else if (x.col_stride == 1 && own) {
        for (std::size_t i = 0; i < count; ++i) subtract_shift(&part.at(i, 0), depth, own, depth, scratch + i * depth);
    } else if (x.col_stride == 1) {
        copy_rows(part, 0, count, scratch, depth);
    } else {
        copy_columns(View<T>{part.data, depth, count, x.col_stride, x.row_stride}, 0, depth, scratch, depth);
        if (own)
            for (std::size_t i = 0; i < count; ++i)
                subtract_shift(scratch + i * depth, depth, own, depth, scratch + i * depth);
    }
    return {scratch, depth};
}

// out (n) of one output.
template <class T>
void affine_to_one(const View<T>& x, const Coefficients& c, const Runtime& runtime, T* out) {
    const Stripes stripes(x.rows, kLong);
    auto work = [&](std::size_t k, std::vector<double>& sum) {
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kLong)
            dot_rows(x, first, std::min(kLong, stripes.end(k) - first), c, sum.data(), out + first);
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols + 1);
    for_stripes(stripes.count(), operations, runtime, [] { return std::vector<double>(kLong); }, work);
}

// out (n, k) = (x − shift) matrix + offset; shift (d) may be null, matrix is (d, k), offset (k).
template <class T>
void affine(const View<T>& x, const double* shift, const double* matrix, const double* offset, std::size_t outputs,
            const Runtime& runtime, T* out) {
    if (!outputs) return;
    if (outputs == 1) return affine_to_one(x, Coefficients{matrix, shift, *offset}, runtime, out);
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, kBlock);
    const Padded padded(matrix, offset, d, outputs);
    const Shift less(shift, d);
    struct Scratch {
        std::vector<double> rows, products;
    };
    auto work = [&](std::size_t k, Scratch& s) {
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(k) - first);
            std::size_t column = 0;
            do {
                const std::size_t depth = std::min(kDepth, d - column);
                const Rows rows = centred_rows(x, column, depth, first, count, less, s.rows.data());
                multiply_block(rows, count, depth, padded, column, s.products.data());
                column += kDepth;
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
            return Scratch{std::vector<double>(kBlock * std::min(d, kDepth)),
                           std::vector<double>(kBlock * padded.width)};
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
