// The distances of blocks of rows, whatever two cells add: the term is behind a pointer that is followed once a block, so
// that searches and linkages are compiled once and not for every term.
//
// Rows of y lie across the lanes in panels, by column; some rows of x share the loads of a panel.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/simd.hpp"
#include "core/view.hpp"

namespace suffice {

inline constexpr int kVectors = 2, kAcross = 8;  // of a panel for several rows, and of one for a single row
inline constexpr std::size_t kPanel = kVectors * kLanes, kWide = kAcross * kLanes;

// ---- what becomes of the sums ----

enum class Finish { kNone, kRoot, kPower };

struct Form {
    Finish finish = Finish::kNone;
    double p = 2;
    const double* weight = nullptr;  // of the columns, (d,); used where cells may be missing
    double scale = 1;                // where cells may be missing: the mean over present columns, times this
};

inline Form make_form(const std::string& finish, double p, const double* weight, double scale) {
    const Finish what = finish == "root" ? Finish::kRoot : finish == "power" ? Finish::kPower : Finish::kNone;
    return {what, p, weight, scale};
}

class PairSums {
  public:
    using Block = void (*)(const PairSums&, const double* rows, std::size_t count, std::size_t d, const double* panel,
                           double* out);

    // out[count, kPanel]: rows (count, d) with the rows of a panel
    void panel(const double* rows, std::size_t count, std::size_t d, const double* panel, double* out) const {
        panel_(*this, rows, count, d, panel, out);
    }
    // out[kWide]: a row with the rows of a wide panel
    void wide(const double* row, std::size_t d, const double* panel, double* out) const { wide_(*this, row, 1, d, panel, out); }

    double p;
    std::size_t numbers;  // columns that are numbers, where the others are categories
    Form form;
    Block panel_, wide_;
};

PairSums pair_sums(const std::string& kind, double p, std::size_t numbers, const Form& form);
// Without fused operations: distances that are equal by the plain formulas stay equal.
PairSums plain_pair_sums(const std::string& kind, double p, std::size_t numbers, const Form& form);

// ---- rows and results of either precision ----

struct Rows {
    std::size_t rows, cols;
    const void* data;
    std::ptrdiff_t row_stride, col_stride;
    bool is_single;

    template <class T>
    explicit Rows(const View<T>& x)
        : rows(x.rows), cols(x.cols), data(x.data), row_stride(x.row_stride), col_stride(x.col_stride),
          is_single(sizeof(T) == sizeof(float)) {}

    void copy(std::size_t first, std::size_t count, double* out) const {
        if (is_single)
            copy_rows(View<float>{static_cast<const float*>(data), rows, cols, row_stride, col_stride}, first, count,
                      out, cols);
        else
            copy_rows(View<double>{static_cast<const double*>(data), rows, cols, row_stride, col_stride}, first, count,
                      out, cols);
    }
};

// The rows in panels, (panels, d, width); the last row fills up the last panel.
inline std::vector<double> packed(const Rows& y, std::size_t width = kPanel) {
    const std::size_t d = y.cols, panels = (y.rows + width - 1) / width;
    std::vector<double> all(panels * width * d), block(width * d);
    for (std::size_t p = 0; p < panels; ++p) {
        const std::size_t count = std::min(width, y.rows - p * width);
        y.copy(p * width, count, block.data());
        double* panel = all.data() + p * width * d;
        for (std::size_t c = 0; c < width; ++c)
            for (std::size_t j = 0; j < d; ++j) panel[j * width + c] = block[std::min(c, count - 1) * d + j];
    }
    return all;
}

}  // namespace suffice
