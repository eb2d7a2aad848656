// The bounds of columns, and how many of their cells are missing.
#include <limits>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kLongRow = 256;       // cells: short rows that follow one another are worked on as longer ones
constexpr std::size_t kStripeCells = 8192;  // at least so many in a stripe
constexpr std::size_t kLanes = 32;

// What is known of the columns, of several rows side by side.
template <class T>
struct Ranges {
    std::vector<T> low, high, missing;
    std::vector<std::int64_t> count;

    explicit Ranges(std::size_t cells)
        : low(cells, std::numeric_limits<T>::infinity()), high(cells, -std::numeric_limits<T>::infinity()),
          missing(cells, T(0)), count(cells, 0) {}

    // Cells of `size` places.
    void add(const T* cells, std::size_t size) {
        T *l = low.data(), *h = high.data(), *m = missing.data();
        for (std::size_t j = 0; j < size; ++j) {
            l[j] = cells[j] < l[j] ? cells[j] : l[j];
            h[j] = cells[j] > h[j] ? cells[j] : h[j];
            m[j] += cells[j] == cells[j] ? T(0) : T(1);
        }
    }

    // A column of a part of the table, its cells `step` apart; lanes of their own, which the compiler puts into vectors.
    void add_column(std::size_t j, const T* cells, std::ptrdiff_t step, std::size_t rows) {
        T l[kLanes], h[kLanes], m[kLanes];
        std::fill_n(l, kLanes, low[j]), std::fill_n(h, kLanes, high[j]), std::fill_n(m, kLanes, T(0));
        std::size_t i = 0;
        for (; step == 1 && i + kLanes <= rows; i += kLanes)
            for (std::size_t c = 0; c < kLanes; ++c) {
                const T cell = cells[i + c];
                l[c] = cell < l[c] ? cell : l[c];
                h[c] = cell > h[c] ? cell : h[c];
                m[c] += cell == cell ? T(0) : T(1);
            }
        for (; i < rows; ++i) {
            const T cell = cells[static_cast<std::ptrdiff_t>(i) * step];
            l[0] = cell < l[0] ? cell : l[0];
            h[0] = cell > h[0] ? cell : h[0];
            m[0] += cell == cell ? T(0) : T(1);
        }
        for (std::size_t c = 0; c < kLanes; ++c) {
            low[j] = std::min(low[j], l[c]);
            high[j] = std::max(high[j], h[c]);
            count[j] += static_cast<std::int64_t>(m[c]);
        }
    }

    // Whole numbers are exact in T only while they are small.
    void settle() {
        for (std::size_t j = 0; j < count.size(); ++j) {
            count[j] += static_cast<std::int64_t>(missing[j]);
            missing[j] = 0;
        }
    }
};

template <class T>
void read(const View<T>& x, std::size_t first, std::size_t end, std::size_t fold, Ranges<T>& own) {
    if (x.col_stride == 1) {
        for (std::size_t i = first; i < end; i += fold) own.add(&x.at(i, 0), std::min(fold, end - i) * x.cols);
        own.settle();
    } else {
        for (std::size_t j = 0; j < x.cols; ++j) own.add_column(j, &x.at(first, j), x.row_stride, end - first);
    }
}

// low, high and missing (d): NaN bounds where all cells are missing.
template <class T>
void column_ranges(const View<T>& x, const Runtime& runtime, double* low, double* high, double* missing) {
    const std::size_t d = x.cols;
    const bool follow = x.col_stride == 1 && x.row_stride == static_cast<std::ptrdiff_t>(d);
    const std::size_t fold = follow ? std::max<std::size_t>(1, kLongRow / d) : 1;  // rows
    const Stripes stripes(x.rows, std::max<std::size_t>(64, kStripeCells / d));
    std::fill_n(low, d, std::numeric_limits<double>::infinity());
    std::fill_n(high, d, -std::numeric_limits<double>::infinity());
    std::fill_n(missing, d, 0.0);
    auto merge = [&](std::size_t, Ranges<T>& own) {
        for (std::size_t p = 0, j = 0; p < fold * d; ++p, j = j + 1 == d ? 0 : j + 1) {
            low[j] = std::min(low[j], static_cast<double>(own.low[p]));
            high[j] = std::max(high[j], static_cast<double>(own.high[p]));
            missing[j] += static_cast<double>(own.count[p]);
            own.count[p] = 0;
        }
    };
    auto work = [&](std::size_t s, Ranges<T>& own) { read(x, stripes.begin(s), stripes.end(s), fold, own); };
    reduce_stripes(stripes.count(), 2 * static_cast<double>(x.rows) * static_cast<double>(d), runtime,
                   [&] { return Ranges<T>(fold * d); }, work, merge);
    for (std::size_t j = 0; j < d; ++j)
        if (low[j] > high[j]) low[j] = high[j] = std::numeric_limits<double>::quiet_NaN();
}

template <class T>
void bind(nb::module_& m) {
    m.def("column_ranges", [](Matrix<T> x, int threads, Output low, Output high, Output missing) {
        expect("low", low, x.shape(1));
        expect("high", high, x.shape(1));
        expect("missing", missing, x.shape(1));
        if (x.shape(1) == 0) return;
        call(threads, [&](const Runtime& r) {
            column_ranges<T>(view<T>(x), r, low.data(), high.data(), missing.data());
        });
    }, nb::arg("x"), nb::arg("threads"), nb::arg("low"), nb::arg("high"), nb::arg("missing"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
