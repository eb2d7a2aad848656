// The product of a block of rows and a matrix.
//
// A block of rows is made doubles less their shift, as the product of any two matrices packs them; the matrix lies in
// panels of a few vectors of outputs, and several rows share each load of it.
#pragma once

#include <algorithm>
#include <vector>

#include "core/transpose.hpp"
#include "core/vectors.hpp"

namespace suffice {

constexpr std::size_t kBlock = 96;              // rows worked on at once
constexpr std::size_t kDepth = 128;             // columns of them: with their part of the matrix they stay in the cache
constexpr int kRows = kLanes == 8 ? 6 : 4;      // rows that share a load of the matrix
constexpr int kVectors = kLanes == 8 ? 4 : 3;   // of outputs in a panel: the registers hold the sums of kRows of them
static_assert(kBlock % (2 * kRows) == 0);

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
    constexpr int kTogether = P == 1 ? 2 * kRows : kRows;  // so many sums that none waits for its last addition
    for (; i + kTogether <= count; i += kTogether) tile(multiply_tile<kTogether, P>);
    for (; i < count; ++i) tile(multiply_tile<1, P>);
}

// The outputs padded to whole vectors. The matrix lies in panels of kVectors vectors of outputs, the last may have
// fewer, (d, panel) each: the one that begins with an output begins at d times that. Of long rows the last outputs, if
// they would leave most of a vector empty, are dot products instead: their columns of the matrix lie in `dots`.
struct Padded {
    static constexpr std::size_t kMostDots = kLanes == 8 ? 2 : 1, kLongRow = 2 * kLanes;

    std::size_t d, outputs, width, panelled, dotted;
    std::vector<double> matrix, dots, offset;

    Padded(const double* m, const double* o, std::size_t d, std::size_t k)
        : d(d), outputs(k), width(round_up(k, kLanes)), dotted(k % kLanes > kMostDots || d < kLongRow ? 0 : k % kLanes),
          offset(width) {
        panelled = dotted ? k - dotted : width;
        matrix.resize(d * panelled);
        for (std::size_t first = 0; first < panelled; first += kVectors * kLanes) {
            const std::size_t own = vectors(first) * kLanes, given = std::min(own, k - first);
            for (std::size_t j = 0; j < d; ++j) std::copy_n(m + j * k + first, given, &matrix[first * d + j * own]);
        }
        for (std::size_t output = k - dotted; output < k; ++output)
            for (std::size_t j = 0; j < d; ++j) dots.push_back(m[j * k + output]);
        std::copy_n(o, k, offset.begin());
    }

    // Whether the products fill no more than the outputs.
    bool is_exact() const { return dotted || width == outputs; }

    // Of the panel that begins with output `first`.
    std::size_t vectors(std::size_t first) const {
        return std::min<std::size_t>(kVectors, (panelled - first) / kLanes);
    }
};

// The dot products of each of R rows with E columns of the matrix, `apart` numbers from one to the next, added to where
// the sums begin.
template <int R, int E>
void dot_tile(const double* row, std::size_t stride, std::size_t d, const double* column, std::size_t apart,
              Begin begin, double* out, std::size_t width) {
    Vec sum[R][E] = {};
    auto add = [&](auto get) {
        Vec right[E];
        for (int e = 0; e < E; ++e) right[e] = get(column + e * apart);
        for (int r = 0; r < R; ++r) {
            const Vec left = get(row + r * stride);
            for (int e = 0; e < E; ++e) sum[r][e] += left * right[e];
        }
    };
    std::size_t j = 0;
    for (; j + kLanes <= d; j += kLanes) add([j](const double* p) { return load(p + j); });
    if (j < d) add([j, d](const double* p) { return load_first(p + j, d - j); });
    for (int r = 0; r < R; ++r)
        for (int e = 0; e < E; ++e) out[r * width + e] = begin.data[r * begin.step + e] + sum_lanes(sum[r][e]);
}

template <int E>
void dot_panel(const Rows& rows, std::size_t count, std::size_t d, const double* column, std::size_t apart,
               Begin begin, double* out, std::size_t width) {
    constexpr int kTogether = 4;
    std::size_t i = 0;
    auto tile = [&](auto dot) {
        const Begin own{begin.data + i * begin.step, begin.step};
        dot(rows.data + i * rows.stride, rows.stride, d, column, apart, own, out + i * width, width);
    };
    for (; i + kTogether <= count; i += kTogether) tile(dot_tile<kTogether, E>);
    for (; i < count; ++i) tile(dot_tile<1, E>);
}

// out = rows (count, d) times the rows of the matrix from `column` on, added to that of columns before; its rows are
// `width` numbers apart.
inline void multiply_block(const Rows& rows, std::size_t count, std::size_t d, const Padded& p, std::size_t column,
                           double* out, std::size_t width) {
    auto begin = [&](std::size_t first) {
        return column ? Begin{out + first, width} : Begin{p.offset.data() + first, 0};
    };
    for (std::size_t first = 0; first < p.panelled; first += kVectors * kLanes) {
        const std::size_t vectors = p.vectors(first);
        const double* panel = p.matrix.data() + first * p.d + column * vectors * kLanes;
        auto multiply = [&](auto of) { of(rows, count, d, panel, begin(first), out + first, width); };
        switch (vectors) {
            case 1: multiply(multiply_panel<1>); break;
            case 2: multiply(multiply_panel<2>); break;
            case 3: multiply(multiply_panel<3>); break;
            default: multiply(multiply_panel<kVectors>);
        }
    }
    if (!p.dotted) return;
    double* last = out + p.panelled;
    const Begin before = begin(p.panelled);
    if (p.dotted == 1) dot_panel<1>(rows, count, d, p.dots.data() + column, p.d, before, last, width);
    else dot_panel<2>(rows, count, d, p.dots.data() + column, p.d, before, last, width);
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

}  // namespace suffice
