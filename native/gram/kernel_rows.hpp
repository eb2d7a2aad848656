// Rows of a kernel (Gram) matrix: products of rows with packed rows, turned into the kernel while they are in the cache.
//
// The rows that are compared with lie in panels, as the matrix of an affine map does. Squared distances come from
// products and squared lengths, both summed in the order of the columns: those of equal rows are exactly zero, and the
// kernel of i with j has the bits of that of j with i.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/vector_math.hpp"
#include "dense/block_products.hpp"

namespace suffice {

constexpr std::size_t kPanelRows = kVectors * kLanes;
static_assert(kBlock % kPanelRows == 0);

// Σ x², in the order in which products are summed.
inline double squared_length(const double* x, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum = plus_square(sum, x[j]);
    return sum;
}

// Rows in panels (panels, d, kPanelRows), with their squared lengths (panels, kPanelRows).
struct Panels {
    std::size_t rows, cols, panels;
    const double *cells, *lengths;

    // out (count, kPanelRows) = products of rows (count, d), with the shift taken off, and those of a panel.
    void multiply(const Rows& x, std::size_t count, std::size_t panel, double* out) const {
        const double* own = cells + panel * kPanelRows * cols;
        static constexpr double zero[kPanelRows] = {};
        std::size_t column = 0;
        do {
            const std::size_t depth = std::min(kDepth, cols - column);
            const Rows part{x.data + column, x.stride};
            const Begin begin = column ? Begin{out, kPanelRows} : Begin{zero, 0};
            multiply_panel<kVectors>(part, count, depth, own + column * kPanelRows, begin, out, kPanelRows);
            column += kDepth;
        } while (column < cols);
    }

    const double* squared(std::size_t panel) const { return lengths + panel * kPanelRows; }
};

inline std::size_t panel_count(std::size_t rows) { return (rows + kPanelRows - 1) / kPanelRows; }

// Writes panels of the rows y (m, d) less a shift (d), or as they are where it is null.
template <class T>
void pack_rows(const View<T>& y, const double* shift, double* cells, double* lengths) {
    const std::size_t cols = y.cols;
    const Shift less(shift, cols);
    std::vector<double> scratch(kPanelRows * cols);
    for (std::size_t p = 0; p < panel_count(y.rows); ++p) {
        const std::size_t count = std::min(kPanelRows, y.rows - p * kPanelRows);
        const Rows own = centred_rows(y, 0, cols, p * kPanelRows, count, less, scratch.data());
        for (std::size_t r = 0; r < count; ++r) {
            for (std::size_t j = 0; j < cols; ++j)
                cells[(p * cols + j) * kPanelRows + r] = own.data[r * own.stride + j];
            lengths[p * kPanelRows + r] = squared_length(own.data + r * own.stride, cols);
        }
    }
}

// Panels that own their memory.
class PackedRows : public Panels {
  public:
    template <class T>
    PackedRows(const View<T>& y, const double* shift)
        : Panels{y.rows, y.cols, panel_count(y.rows), nullptr, nullptr}, own_(panels * kPanelRows * y.cols),
          squares_(panels * kPanelRows) {
        pack_rows(y, shift, own_.data(), squares_.data());
        cells = own_.data();
        lengths = squares_.data();
    }

  private:
    std::vector<double> own_, squares_;
};

// What becomes of a product: own and other are the squared lengths of the two rows.
struct PlainProduct {
    Vec operator()(Vec product, Vec, Vec) const { return product; }
};

struct Polynomial {
    double scale, constant;
    int degree;

    Vec operator()(Vec product, Vec, Vec) const {
        Vec base = product * scale + constant, power = broadcast(1.0);
        for (int left = degree; left; left >>= 1, base *= base)
            if (left & 1) power *= base;
        return power;
    }
};

// With so many powers of the series of exp: 13 for doubles, 7 are enough for what is rounded to single precision.
template <int kPowers>
struct Gauss {
    double scale;

    Vec operator()(Vec product, Vec own, Vec other) const {
        const Vec apart = own + other - 2.0 * product;
        const Vec found = exp_nonpositive<kPowers>(apart > 0 ? apart * -scale : Vec{}, -690.0);
        return apart == apart ? found : apart;  // NaN stays
    }
};

// Writes the kernel of rows x (count, d) with those of a panel to `tile` (count, kPanelRows).
template <class Finish>
void kernel_tile(const Panels& y, const Rows& x, const double* squared, std::size_t count, std::size_t panel,
                 const Finish& finish, double* tile) {
    y.multiply(x, count, panel, tile);
    const double* others = y.squared(panel);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec own = broadcast(squared[i]);
        for (std::size_t l = 0; l < kPanelRows; l += kLanes) {
            double* at = tile + i * kPanelRows + l;
            store(at, finish(load(at), own, load(others + l)));
        }
    }
}

// Calls run(finish) with what becomes of a product in a kernel of that kind, which is `rounded` to single precision or not.
template <class Run>
void with_kernel(const std::string& kind, double scale, double constant, int degree, bool rounded, Run run) {
    if (kind == "gaussian" && rounded) run(Gauss<7>{scale});
    else if (kind == "gaussian") run(Gauss<13>{scale});
    else if (kind == "polynomial") run(Polynomial{scale, constant, degree});
    else run(PlainProduct{});
}

}  // namespace suffice
