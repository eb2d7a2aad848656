// Rows of codes: the largest code of each column, and the sum over columns of what a table holds for each code.
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr std::size_t kRows = 256;     // of a block: their sums stay in the first cache
constexpr std::size_t kColumns = 128;  // of a block: so does their part of the table

struct Table {
    const double* cells;          // (offsets[d], width): the entries of one code lie together
    const double* others;         // (d, width): what any other number of a column has
    const std::int64_t* offsets;  // where each column begins, and the end of the last
    std::size_t width;            // a multiple of kLanes
};

// sums (W vectors for each row, `width` apart) += the entries of the codes of some columns; NaN adds nothing.
template <int W, class T>
void add_terms(const View<T>& x, const Table& table, std::size_t row, std::size_t end, std::size_t first,
               std::size_t last, double* sums) {
    for (; row < end; ++row, sums += table.width) {
        Vec total[W];
        for (int v = 0; v < W; ++v) total[v] = load(sums + v * kLanes);
        for (std::size_t j = first; j < last; ++j) {
            const double code = static_cast<double>(x.at(row, j));
            if (std::isnan(code)) continue;
            const bool known = code >= 0 && code < static_cast<double>(table.offsets[j + 1] - table.offsets[j]);
            const std::int64_t place = known ? table.offsets[j] + static_cast<std::int64_t>(code)
                                             : static_cast<std::int64_t>(j);
            const double* entry = (known ? table.cells : table.others) + static_cast<std::size_t>(place) * table.width;
            for (int v = 0; v < W; ++v) total[v] += load(entry + v * kLanes);
        }
        for (int v = 0; v < W; ++v) store(sums + v * kLanes, total[v]);
    }
}

template <class T>
void add_all_terms(const View<T>& x, const Table& table, std::size_t row, std::size_t end, std::size_t first,
                   std::size_t last, double* sums) {
    std::size_t c = 0;
    auto part = [&] { return Table{table.cells + c, table.others + c, table.offsets, table.width}; };
    for (; c + 4 * kLanes <= table.width; c += 4 * kLanes) add_terms<4>(x, part(), row, end, first, last, sums + c);
    for (; c + 2 * kLanes <= table.width; c += 2 * kLanes) add_terms<2>(x, part(), row, end, first, last, sums + c);
    if (c < table.width) add_terms<1>(x, part(), row, end, first, last, sums + c);
}

// out (n, k): the first k of the sums.
template <class T>
void category_terms(const View<T>& x, const Table& table, std::size_t k, const Runtime& runtime, double* out) {
    const Stripes stripes(x.rows, kRows);
    auto work = [&](std::size_t s, std::vector<double>& sums) {
        for (std::size_t row = stripes.begin(s); row < stripes.end(s); row += kRows) {
            const std::size_t end = std::min(stripes.end(s), row + kRows);
            std::fill(sums.begin(), sums.end(), 0.0);
            for (std::size_t first = 0; first < x.cols; first += kColumns)
                add_all_terms(x, table, row, end, first, std::min(x.cols, first + kColumns), sums.data());
            for (std::size_t i = row; i < end; ++i)
                std::copy_n(sums.data() + (i - row) * table.width, k, out + i * k);
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols) * 8;
    for_stripes(stripes.count(), operations, runtime, [&] { return std::vector<double>(kRows * table.width); }, work);
}

// What is known of each column: its largest number, and whether a cell is neither missing nor a whole number from 0 on.
struct Largest {
    std::vector<double> number, wrong;

    explicit Largest(std::size_t columns) : number(columns, -1.0), wrong(columns, 0.0) {}

    void add(std::size_t j, double code) {
        number[j] = code > number[j] ? code : number[j];
        wrong[j] = (code - std::floor(code) > 0) | (code < 0) ? 1.0 : wrong[j];
    }

    // The rows from `first` to `end`, along the memory of x.
    template <class T>
    void read(const View<T>& x, std::size_t first, std::size_t end) {
        if (x.col_stride == 1) {
            for (std::size_t i = first; i < end; ++i) {
                const T* row = &x.at(i, 0);
                for (std::size_t j = 0; j < x.cols; ++j) add(j, static_cast<double>(row[j]));
            }
        } else {
            for (std::size_t j = 0; j < x.cols; ++j)
                for (std::size_t i = first; i < end; ++i) add(j, static_cast<double>(x.at(i, j)));
        }
    }
};

// largest (d): -1 for a column whose cells are all missing, NaN for one with a cell that is no code.
template <class T>
void largest_codes(const View<T>& x, const Runtime& runtime, double* largest) {
    std::fill_n(largest, x.cols, -1.0);
    const Stripes stripes(x.rows, 256);
    auto work = [&](std::size_t s, Largest& own) { own.read(x, stripes.begin(s), stripes.end(s)); };
    auto merge = [&](std::size_t, Largest& own) {
        for (std::size_t j = 0; j < x.cols; ++j) {
            const bool wrong = own.wrong[j] > 0 || own.number[j] == INFINITY || std::isnan(largest[j]);
            largest[j] = wrong ? NAN : std::max(largest[j], own.number[j]);
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols) * 2;
    reduce_stripes(stripes.count(), operations, runtime, [&] { return Largest(x.cols); }, work, merge);
}

template <class T>
void bind(nb::module_& m) {
    m.def("category_terms", [](Matrix<T> x, Codes offsets, Full<double> table, Full<double> others, std::size_t k,
                                int threads, Output out) {
        expect_starts("offsets", offsets, x.shape(1), table.shape(0));
        expect("others", others, x.shape(1) * table.shape(1));
        if (table.shape(1) % kLanes || table.shape(1) < k)
            throw nb::value_error("the table must have a column for each result, and whole vectors of them");
        expect("out", out, x.shape(0) * k);
        const Table entries{table.data(), others.data(), offsets.data(), table.shape(1)};
        call(threads, [&](const Runtime& r) { category_terms<T>(view<T>(x), entries, k, r, out.data()); });
    }, nb::arg("x"), nb::arg("offsets"), nb::arg("table"), nb::arg("others"), nb::arg("k"),
       nb::arg("threads"), nb::arg("out"));
    m.def("largest_codes", [](Matrix<T> x, int threads, Output largest) {
        expect("largest", largest, x.shape(1));
        call(threads, [&](const Runtime& r) { largest_codes<T>(view<T>(x), r, largest.data()); });
    }, nb::arg("x"), nb::arg("threads"), nb::arg("largest"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
