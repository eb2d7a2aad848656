// Weight, mean and centred scatter in one pass.
//
// A stripe subtracts the mean of its first rows as it packs, so no large numbers are squared; the exact centring
// is one rank-one correction at the stripe's end. Stripes merge by Chan, Golub & LeVeque's formula. Packed columns
// lie in panels one vector wide, with the square root of the weight as one more column: the product of the panels
// with themselves then holds the scatter, the sums and the weight at once.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr int kTile = kLanes == 2 ? 4 : 3;  // panels per tile: what the registers hold

struct Scratch {
    std::size_t columns, panels, width, block;  // width = panels * kLanes >= columns + 1
    std::vector<double> storage;
    double *packed, *product, *shift;
    double weight = 0;
    std::vector<double> mean;

    explicit Scratch(std::size_t d)
        : columns(d), panels((d + kLanes) / kLanes), width(panels * kLanes), block(block_rows(width)),
          storage(block * width + width * width + width + 8), mean(d) {
        const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
        packed = storage.data() + (64 - address % 64) % 64 / sizeof(double);
        product = packed + block * width;
        shift = product + width * width;
    }

    // Rows packed at once: about half a megabyte, so that the panels stay in the second-level cache.
    static std::size_t block_rows(std::size_t width) {
        return std::clamp<std::size_t>(65536 / width / 8 * 8, 64, 512);
    }
};

// product[kLanes, P panels] += aᵀ b over the packed rows.
template <int P>
void multiply_tile(const double* a, const double* b, std::size_t rows, std::size_t panel, double* c, std::size_t ldc) {
    Vec sum[kLanes][P] = {};
    for (std::size_t k = 0; k < rows; ++k, a += kLanes, b += kLanes) {
        Vec right[P];
        for (int p = 0; p < P; ++p) right[p] = load(b + p * panel);
        for (int r = 0; r < kLanes; ++r) {
            const Vec left = broadcast(a[r]);
            for (int p = 0; p < P; ++p) sum[r][p] += left * right[p];
        }
    }
    for (int r = 0; r < kLanes; ++r)
        for (int p = 0; p < P; ++p) {
            double* out = c + r * ldc + p * kLanes;
            store(out, load(out) + sum[r][p]);
        }
}

// The panels on and right of the diagonal of packedᵀ packed.
void multiply_panels(Scratch& s, std::size_t rows) {
    const std::size_t panel = s.block * kLanes;
    for (std::size_t i = 0; i < s.panels; ++i) {
        const double* a = s.packed + i * panel;
        std::size_t j = i;
        auto tile = [&](auto multiply, int width) {
            multiply(a, s.packed + j * panel, rows, panel, s.product + i * kLanes * s.width + j * kLanes, s.width);
            j += width;
        };
        while (j + kTile <= s.panels) tile(multiply_tile<kTile>, kTile);
        for (; j + 2 <= s.panels;) tile(multiply_tile<2>, 2);
        if (j < s.panels) tile(multiply_tile<1>, 1);
    }
}

// The rows that count, in order; all of them where there is no list.
struct Chosen {
    const std::int64_t* list;

    std::size_t operator()(std::size_t i) const { return list ? static_cast<std::size_t>(list[i]) : i; }
};

constexpr std::size_t kAhead = 8;  // rows: chosen ones do not follow each other, so the hardware does not foresee them

template <class T>
void fetch_row(const View<T>& x, std::size_t i) {
    if (x.col_stride != 1) return;
    for (std::size_t j = 0; j < x.cols; j += 64 / sizeof(T)) __builtin_prefetch(&x.at(i, j));
}

template <class T>
void pack_columns(const View<T>& x, Chosen row, std::size_t first, std::size_t rows, const double* root,
                  std::size_t offset, Scratch& s) {
    if (x.cols == 0) return;
    const std::size_t panel = s.block * kLanes;
    auto place = [&](std::size_t column) {
        return s.packed + column / kLanes * panel + column % kLanes;
    };
    if (x.row_stride == 1 && x.col_stride != 1 && !row.list) {
        for (std::size_t j = 0; j < x.cols; ++j) {
            const T* in = &x.at(first, j);
            double* out = place(offset + j);
            const double shift = s.shift[offset + j];
            for (std::size_t k = 0; k < rows; ++k) out[k * kLanes] = (static_cast<double>(in[k]) - shift) * root[k];
        }
        return;
    }
    for (std::size_t k = 0; k < rows; ++k) {
        const T* in = &x.at(row(first + k), 0);
        if (row.list && k + kAhead < rows) fetch_row(x, row(first + k + kAhead));
        for (std::size_t j = 0; j < x.cols;) {
            const std::size_t column = offset + j;
            const std::size_t run = std::min<std::size_t>(x.cols - j, kLanes - column % kLanes);
            double* out = place(column) + k * kLanes;
            for (std::size_t l = 0; l < run; ++l, ++j)
                out[l] = (static_cast<double>(in[static_cast<std::ptrdiff_t>(j) * x.col_stride]) -
                          s.shift[column + l]) * root[k];
        }
    }
}

template <class T>
void add_column_sums(const View<T>& x, Chosen row, std::size_t first, std::size_t rows, double* sums) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) sums[j] += static_cast<double>(x.at(row(first + i), j));
}

// Turns the products about the shift into weight, mean and centred scatter (both triangles).
void finish_stripe(Scratch& s) {
    const std::size_t d = s.columns, w = s.width;
    double* c = s.product;
    s.weight = c[d * w + d];
    const double scale = s.weight > 0 ? 1 / s.weight : 0;
    for (std::size_t i = 0; i < d; ++i) {
        const double sum = c[i * w + d] * scale;
        s.mean[i] = s.shift[i] + sum;
        for (std::size_t j = i; j < d; ++j) c[i * w + j] -= sum * c[j * w + d];
    }
}

// The products of one column: weight, Σ w z and Σ w z² of z = x − shift, with vectors of rows.
template <class T>
void sum_column(const View<T>& x, Chosen row, const double* row_weight, std::size_t begin, std::size_t end,
                Scratch& s) {
    const double shift = s.shift[0];
    std::vector<double> own(s.block, 1.0);
    Vec weight{}, sum{}, squares{};
    for (std::size_t first = begin; first < end; first += s.block) {
        const std::size_t rows = std::min(s.block, end - first);
        if (x.row_stride == 1 && !row.list) {
            const T* in = &x.at(first, 0);
            for (std::size_t k = 0; k < rows; ++k) s.packed[k] = static_cast<double>(in[k]) - shift;
        } else {
            for (std::size_t k = 0; k < rows; ++k) s.packed[k] = static_cast<double>(x.at(row(first + k), 0)) - shift;
        }
        for (std::size_t k = 0; row_weight && k < rows; ++k) own[k] = row_weight[row(first + k)];
        const std::size_t padded = std::min(s.block, round_up(rows, kLanes));
        std::fill(s.packed + rows, s.packed + padded, 0.0);
        std::fill(own.data() + rows, own.data() + padded, 0.0);
        for (std::size_t k = 0; k < padded; k += kLanes) {
            const Vec z = load(s.packed + k), w = load(&own[k]), weighted = w * z;
            weight += w;
            sum += weighted;
            squares += weighted * z;
        }
    }
    s.product[0] = sum_lanes(squares);
    s.product[1] = sum_lanes(sum);
    s.product[s.width + 1] = sum_lanes(weight);
}

template <class T>
void sum_stripe(const View<T>& x, const View<double>& y, Chosen row, const double* row_weight, std::size_t begin,
                std::size_t end, Scratch& s) {
    std::memset(s.packed, 0, (s.block * s.width + s.width * s.width + s.width) * sizeof(double));
    const std::size_t sample = std::min<std::size_t>(s.block, end - begin);
    add_column_sums(x, row, begin, sample, s.shift);
    add_column_sums(y, row, begin, sample, s.shift + x.cols);
    for (std::size_t j = 0; j < s.columns; ++j) s.shift[j] /= static_cast<double>(sample);
    if (s.columns == 1) {
        if (x.cols) sum_column(x, row, row_weight, begin, end, s);
        else sum_column(y, row, row_weight, begin, end, s);
        return finish_stripe(s);
    }
    std::vector<double> root(s.block, 1.0);
    const std::size_t panel = s.block * kLanes;
    for (std::size_t first = begin; first < end; first += s.block) {
        const std::size_t rows = std::min(s.block, end - first);
        double* root_column = s.packed + s.columns / kLanes * panel + s.columns % kLanes;
        for (std::size_t k = 0; k < rows; ++k) {
            if (row_weight) root[k] = std::sqrt(row_weight[row(first + k)]);
            root_column[k * kLanes] = root[k];
        }
        pack_columns(x, row, first, rows, root.data(), 0, s);
        pack_columns(y, row, first, rows, root.data(), x.cols, s);
        multiply_panels(s, rows);
    }
    finish_stripe(s);
}

// weight, mean (d) and centred scatter (d, d) of the columns of [x | y], d = x.cols + y.cols, over n chosen rows.
template <class T>
void moments(const View<T>& x, const View<double>& y, Chosen row, std::size_t n, const double* row_weight,
             const Runtime& runtime, double* weight, double* mean, double* scatter) {
    const std::size_t d = x.cols + y.cols;
    const Stripes stripes(n, Scratch::block_rows((d + kLanes) / kLanes * kLanes) * 2);
    std::vector<double> delta(d);
    auto merge = [&](std::size_t, Scratch& s) {
        if (s.weight <= 0) return;
        const double total = *weight + s.weight;
        const double share = s.weight / total, cross = *weight * share;
        for (std::size_t i = 0; i < d; ++i) delta[i] = s.mean[i] - mean[i];
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = i; j < d; ++j)
                scatter[i * d + j] += s.product[i * s.width + j] + cross * delta[i] * delta[j];
        for (std::size_t i = 0; i < d; ++i) mean[i] += share * delta[i];
        *weight = total;
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(n) * static_cast<double>(d) * static_cast<double>(d + 8), runtime,
        [&] { return Scratch(d); },
        [&](std::size_t k, Scratch& s) { sum_stripe(x, y, row, row_weight, stripes.begin(k), stripes.end(k), s); },
        merge);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < i; ++j) scatter[i * d + j] = scatter[j * d + i];
}

template <class T>
void bind(nb::module_& m) {
    m.def("moments", [](Matrix<T> x, Matrix<double> y, Optional<Codes> rows, Optional<Input> weights, int threads, Output weight,
                        Output mean, Output scatter) {
        const std::size_t d = x.shape(1) + y.shape(1);
        expect("y", y, x.shape(0) * y.shape(1));
        expect_below("rows", rows, x.shape(0), 0, threads);
        expect("weights", weights, x.shape(0));
        expect("weight", weight, 1);
        expect("mean", mean, d);
        expect("scatter", scatter, d * d);
        const double* w = pointer(weights);
        const std::int64_t* list = pointer(rows);
        const std::size_t n = rows ? rows->size() : x.shape(0);
        call(threads, [&](const Runtime& r) {
            moments<T>(view<T>(x), view<double>(y), Chosen{list}, n, w, r, weight.data(), mean.data(), scatter.data());
        });
    }, nb::arg("x"), nb::arg("y"), nb::arg("rows").none(), nb::arg("weights").none(),
       nb::arg("threads"), nb::arg("weight"), nb::arg("mean"), nb::arg("scatter"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
