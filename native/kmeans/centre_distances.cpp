// The distances of rows from centres, by products about a shift, which are computed in one pass with the lengths of the
// rows; where a distance is short beside these, so that digits cancel, as a difference.
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"
#include "kmeans/nearest.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 32;   // rows worked on at once
constexpr std::size_t kPanel = 512;  // columns of them: with their part of the centres they stay in the cache
constexpr std::size_t kApart = kPanel + kLanes;  // where rows begin: 4096 bytes apart they would share a place in the cache
constexpr std::size_t kRows = 4;     // rows that share a load of the centres
constexpr double kCancelled = 1e-4;  // the share of ‖x‖² + ‖c‖² below which a squared distance has too few digits

// The centres about the shift by columns, (d, width), padded to whole vectors, and their squared lengths.
struct Turned {
    std::size_t width;
    std::vector<double> matrix, squared;

    Turned(const double* centres, const double* shift, std::size_t k, std::size_t d)
        : width(round_up(k, kLanes)), matrix(d * width), squared(width) {
        constexpr std::size_t kStep = 64;  // columns whose cells stay in the cache until all centres are there
        for (std::size_t first = 0; first < d; first += kStep)
            for (std::size_t j = 0; j < k; ++j)
                for (std::size_t i = first; i < std::min(d, first + kStep); ++i)
                    matrix[i * width + j] = centres[j * d + i] - shift[i];
        for (std::size_t j = 0; j < k; ++j) squared[j] = squared_distance(centres + j * d, shift, d);
    }
};

// out[R, P vectors], `width` apart, += rows[R, d] · matrix[d, P vectors]; rows lie kApart apart
template <std::size_t R, int P>
void multiply_tile(const double* rows, std::size_t d, const double* matrix, std::size_t width, double* out) {
    Vec sum[R][P];
    for (std::size_t r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) sum[r][p] = load(out + r * width + p * kLanes);
    for (std::size_t i = 0; i < d; ++i, matrix += width) {
        Vec right[P];
        for (int p = 0; p < P; ++p) right[p] = load(matrix + p * kLanes);
        for (std::size_t r = 0; r < R; ++r) {
            const Vec left = broadcast(rows[r * kApart + i]);
            for (int p = 0; p < P; ++p) sum[r][p] += left * right[p];
        }
    }
    for (std::size_t r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) store(out + r * width + p * kLanes, sum[r][p]);
}

template <int P>
void multiply(const double* rows, std::size_t count, std::size_t d, const double* matrix, std::size_t width, double* out) {
    std::size_t r = 0;
    for (; r + kRows <= count; r += kRows) multiply_tile<kRows, P>(rows + r * kApart, d, matrix, width, out + r * width);
    for (; r < count; ++r) multiply_tile<1, P>(rows + r * kApart, d, matrix, width, out + r * width);
}

template <class T>
class Block {
  public:
    Block(const View<T>& x, const double* centres, const double* shift, std::size_t k, const Turned& turned)
        : x_(x), centres_(centres), shift_(shift), k_(k), turned_(turned), rows_(kBlock * kApart),
          products_(kBlock * turned.width), row_(x.cols) {}

    void find(std::size_t first, std::size_t count, T* out) {
        const std::size_t width = turned_.width;
        std::fill(products_.begin(), products_.end(), 0.0);
        std::fill_n(squared_, kBlock, 0.0);
        for (std::size_t column = 0; column < x_.cols; column += kPanel) {
            const std::size_t some = std::min(kPanel, x_.cols - column);
            put_about_shift(first, count, column, some);
            add_products(count, some, &turned_.matrix[column * width]);
        }
        for (std::size_t r = 0; r < count; ++r) finish(first + r, squared_[r], &products_[r * width], out + r * k_);
    }

  private:
    void put_about_shift(std::size_t first, std::size_t count, std::size_t column, std::size_t some) {
        const View<T> panel{&x_.at(0, column), x_.rows, some, x_.row_stride, x_.col_stride};
        copy_rows(panel, first, count, rows_.data(), kApart);
        for (std::size_t r = 0; r < count; ++r) {
            double* __restrict row = &rows_[r * kApart];
            const double* __restrict shift = shift_ + column;
            double sum[2 * kLanes] = {};
            std::size_t i = 0;
            for (; i + 2 * kLanes <= some; i += 2 * kLanes)
                for (int l = 0; l < 2 * kLanes; ++l) {
                    row[i + l] -= shift[i + l];
                    sum[l] += row[i + l] * row[i + l];
                }
            for (; i < some; ++i) {
                row[i] -= shift[i];
                sum[0] += row[i] * row[i];
            }
            for (double part : sum) squared_[r] += part;
        }
    }

    void add_products(std::size_t count, std::size_t some, const double* matrix) {
        std::size_t j = 0;
        auto part = [&](auto product, std::size_t vectors) {
            product(rows_.data(), count, some, matrix + j, turned_.width, &products_[j]);
            j += vectors * kLanes;
        };
        while (j + 4 * kLanes <= turned_.width) part(multiply<4>, 4);
        switch ((turned_.width - j) / kLanes) {
            case 3: part(multiply<3>, 3); break;
            case 2: part(multiply<2>, 2); break;
            case 1: part(multiply<1>, 1); break;
            default: break;
        }
    }

    void finish(std::size_t i, double own, const double* product, T* out) {
        bool is_copied = false;
        const double* __restrict other = turned_.squared.data();
        double found[kLanes];
        for (std::size_t first = 0; first < k_; first += kLanes) {
            const Vec all = own + load(other + first), squared = all - 2 * load(product + first);
            store(found, squared);
            bool is_clear = true;
            for (int l = 0; l < kLanes; ++l) is_clear &= squared[l] > kCancelled * all[l];
            const std::size_t some = std::min<std::size_t>(kLanes, k_ - first);
            for (std::size_t l = 0; !is_clear && l < some; ++l) {
                if (squared[l] > kCancelled * all[l]) continue;
                if (!is_copied) copy_rows(x_, i, 1, row_.data(), x_.cols);
                is_copied = true;
                found[l] = squared_distance(row_.data(), centres_ + (first + l) * x_.cols, x_.cols);
            }
            for (std::size_t l = 0; l < some; ++l) out[first + l] = static_cast<T>(std::sqrt(found[l]));
        }
    }

    View<T> x_;
    const double *centres_, *shift_;
    std::size_t k_;
    const Turned& turned_;
    std::vector<double> rows_, products_, row_;
    double squared_[kBlock] = {};
};

// out (n, k); a row with a missing cell has missing distances.
template <class T>
void distances(const View<T>& x, const double* centres, const double* shift, std::size_t k, const Runtime& runtime, T* out) {
    const Turned turned(centres, shift, k, x.cols);
    const Stripes stripes(x.rows, least_rows(x.cols, 8 * kBlock));
    auto work = [&](std::size_t s, Block<T>& block) {
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kBlock)
            block.find(first, std::min(kBlock, stripes.end(s) - first), out + first * k);
    };
    const double operations = static_cast<double>(x.rows * x.cols) * static_cast<double>(k + 4);
    for_stripes(
        stripes.count(), operations, runtime, [&] { return Block<T>(x, centres, shift, k, turned); }, work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("centre_distances", [](Matrix<T> x, Full<double> centres, Input shift, int threads, Result<T> out) {
        const std::size_t d = x.shape(1), k = centres.shape(0);
        expect("centres", centres, k * d);
        expect("shift", shift, d);
        expect("out", out, x.shape(0) * k);
        call(threads, [&](const Runtime& r) {
            distances<T>(view<T>(x), centres.data(), shift.data(), centres.shape(0), r, out.data());
        });
    }, nb::arg("x"), nb::arg("centres"), nb::arg("shift"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
