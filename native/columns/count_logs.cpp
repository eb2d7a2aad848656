// Rows of counts: the logarithm of the factorial of their sum, and the sum of the logarithms of their factorials; by
// themselves, and added to the terms that are linear in the counts.
#include <vector>

#include "columns/small_counts.hpp"
#include "core/binding.hpp"
#include "dense/block_products.hpp"

namespace suffice {
namespace {

static_assert(kBlock <= kCountRows);

template <class T>
void count_logs(const View<T>& x, const SmallCounts& small, const Runtime& runtime, double* of_sums,
                double* logs) {
    const Stripes stripes(x.rows, kCountRows);
    auto work = [&](std::size_t s, std::vector<double>& scratch) {
        double least = 0;
        for (std::size_t row = stripes.begin(s); row < stripes.end(s); row += kCountRows) {
            const std::size_t count = std::min(kCountRows, stripes.end(s) - row);
            const double* rows = rows_as_double(x, row, count, scratch.data());
            std::fill_n(of_sums + row, count, 0.0);
            std::fill_n(logs + row, count, 0.0);
            add_counts(rows, x.cols, count, x.cols, small, of_sums + row, logs + row, least);
            log_sums(count, small, of_sums + row);
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols) * 2;
    for_stripes(stripes.count(), operations, runtime, [&] { return std::vector<double>(kCountRows * x.cols); }, work);
}

// What a thread works with: a block of rows as doubles, the products, and of each row the sums of its counts and of the
// logarithms of their factorials.
struct TermScratch {
    std::vector<double> rows, products;
    double sums[kBlock], logs[kBlock];
    double least;  // of the counts of a stripe, 0 if none is below
};

// The least of 0 and the counts of a block.
inline double least_count(const Rows& rows, std::size_t count, std::size_t depth) {
    Vec least = {};
    auto look = [&](Vec own) { least = own < least ? own : least; };  // a missing count is not less
    const std::size_t lines = rows.stride == depth ? 1 : count, length = count * depth / lines;
    for (std::size_t i = 0; i < lines; ++i) {
        const double* line = rows.data + i * rows.stride;
        std::size_t j = 0;
        for (; j + kLanes <= length; j += kLanes) look(load(line + j));
        if (j < length) look(load_first(line + j, length - j));
    }
    double found = 0;
    for (int l = 0; l < kLanes; ++l) found = std::min(found, least[l]);
    return found;
}

// out (n, k) = x matrix + offset, and where `arranged` log N! − Σ log x! of the counts of each row, N in all, added.
// Returns the least count, or 0.
template <class T>
double count_terms(const View<T>& x, const double* matrix, const double* offset, std::size_t outputs, bool arranged,
                   const SmallCounts& small, const Runtime& runtime, double* out) {
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, kBlock);
    const Padded padded(matrix, offset, d, outputs);
    const std::size_t width = padded.is_exact() ? outputs : padded.width;
    const Shift nothing(nullptr, d);
    double least = 0;
    auto work = [&](std::size_t k, TermScratch& s) {
        s.least = 0;
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(k) - first);
            std::fill_n(s.sums, count, 0.0);
            std::fill_n(s.logs, count, 0.0);
            double* block = out + first * outputs;
            double* products = padded.is_exact() ? block : s.products.data();
            std::size_t column = 0;
            do {
                const std::size_t depth = std::min(kDepth, d - column);
                const Rows rows = centred_rows(x, column, depth, first, count, nothing, s.rows.data());
                multiply_block(rows, count, depth, padded, column, products, width);
                if (arranged) add_counts(rows.data, rows.stride, count, depth, small, s.sums, s.logs, s.least);
                else s.least = std::min(s.least, least_count(rows, count, depth));
                column += kDepth;
            } while (column < d);
            if (!arranged && products == block) continue;
            log_sums(count, small, s.sums);
            for (std::size_t i = 0; i < count; ++i) {
                const double base = s.sums[i] - s.logs[i];  // 0 where it was not asked for
                for (std::size_t j = 0; j < outputs; ++j)
                    block[i * outputs + j] = products[i * width + j] + base;
            }
        }
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(d) * static_cast<double>(outputs + 2),
        runtime,
        [&] {
            TermScratch s{};
            s.rows.resize(kBlock * std::min(d, kDepth));
            s.products.resize(kBlock * padded.width);
            return s;
        },
        work, [&](std::size_t, TermScratch& s) { least = std::min(least, s.least); });
    return least;
}

SmallCounts small_counts(const Vector<double>& logs) {
    if (logs.size() < SmallCounts::kLeast) throw nb::value_error("the table of small counts is too short");
    return {logs.data(), static_cast<double>(logs.size())};
}

template <class T>
void bind(nb::module_& m) {
    m.def("count_logs", [](Matrix<T> x, Vector<double> small, int threads, Output of_sums, Output logs) {
        expect("of_sums", of_sums, x.shape(0));
        expect("logs", logs, x.shape(0));
        const SmallCounts table = small_counts(small);
        call(threads, [&](const Runtime& r) { count_logs<T>(view<T>(x), table, r, of_sums.data(), logs.data()); });
    }, nb::arg("x"), nb::arg("small"), nb::arg("threads"), nb::arg("of_sums"), nb::arg("logs"));
    m.def("count_terms", [](Matrix<T> x, Full<double> matrix, Input offset, bool arranged, Vector<double> small,
                            int threads, Output out) {
        if (offset.size() == 0) throw nb::value_error("there is no output");
        expect("matrix", matrix, x.shape(1) * offset.size());
        expect("out", out, x.shape(0) * offset.size());
        const SmallCounts table = small_counts(small);
        return call(threads, [&](const Runtime& r) {
            return count_terms<T>(view<T>(x), matrix.data(), offset.data(), offset.size(), arranged, table, r,
                                  out.data());
        });
    }, nb::arg("x"), nb::arg("matrix"), nb::arg("offset"), nb::arg("arranged"), nb::arg("small"), nb::arg("threads"),
       nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
