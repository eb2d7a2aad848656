// Cells as the growth of trees reads them: codes of a byte between given edges, or ranks among all values of a column.
#include <bit>
#include <cmath>

#include "core/owned.hpp"
#include "growth/cells.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 2048;  // rows of a column that are coded at once

// How the categories of each column are coded; the columns of numbers have none.
struct Recoding {
    const std::uint8_t* codes;
    const std::int64_t* starts;  // (d + 1)

    bool has(std::size_t j) const { return starts[j] < starts[j + 1]; }
    Code of(std::size_t j, double cell) const {
        if (!(cell >= 0) || cell >= static_cast<double>(starts[j + 1] - starts[j])) return kMissing;
        return codes[starts[j] + static_cast<std::int64_t>(cell)];
    }
};

template <class T>
void code_numbers(const View<T>& x, std::size_t j, std::size_t begin, std::size_t count, const double* edges, Code* out) {
    double cell[kBlock];
    std::uint32_t at[kBlock];
    for (std::size_t i = 0; i < count; ++i) cell[i] = static_cast<double>(x.at(begin + i, j)), at[i] = 0;
    // The number of edges below a cell, of 255 with infinities behind them: a binary search of eight steps for all cells.
    for (std::uint32_t half = 128; half > 0; half /= 2)
        for (std::size_t i = 0; i < count; ++i) at[i] += edges[at[i] + half - 1] < cell[i] ? half : 0;
    for (std::size_t i = 0; i < count; ++i) out[i] = std::isnan(cell[i]) ? kMissing : static_cast<Code>(at[i]);
}

template <class T>
void code(const View<T>& x, const double* edges, const Recoding& recoding, Code* out, const Runtime& runtime) {
    const std::size_t blocks = (x.rows + kBlock - 1) / kBlock;
    for_stripes(blocks, 10.0 * static_cast<double>(x.rows * x.cols), runtime, [] { return 0; }, [&](std::size_t b, int) {
        const std::size_t begin = b * kBlock, count = std::min(kBlock, x.rows - begin);
        for (std::size_t j = 0; j < x.cols; ++j) {
            Code* own = out + j * x.rows + begin;
            if (recoding.has(j))
                for (std::size_t i = 0; i < count; ++i) own[i] = recoding.of(j, static_cast<double>(x.at(begin + i, j)));
            else code_numbers(x, j, begin, count, edges + j * kCodes, own);
        }
    });
}

struct Keyed {
    std::uint64_t key;
    Row row;
};

// Whole numbers in the order of the doubles.
std::uint64_t key_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return bits ^ ((bits >> 63) ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

// By radix, from the lowest digit, where the rows are many; digits that all keys share cost nothing.
void sort_keys(std::vector<Keyed>& keys, std::vector<Keyed>& spare) {
    constexpr std::size_t kBits = 11, kDigits = std::size_t{1} << kBits;
    const auto lower = [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; };
    if (keys.size() < 1024) return std::sort(keys.begin(), keys.end(), lower);
    spare.resize(keys.size());
    std::vector<std::size_t> starts(kDigits);
    for (std::size_t shift = 0; shift < 64; shift += kBits) {
        std::fill(starts.begin(), starts.end(), 0);
        for (const auto& k : keys) ++starts[k.key >> shift & (kDigits - 1)];
        if (std::any_of(starts.begin(), starts.end(), [&](auto n) { return n == keys.size(); })) continue;
        std::size_t sum = 0;
        for (auto& n : starts) sum += std::exchange(n, sum);
        for (const auto& k : keys) spare[starts[k.key >> shift & (kDigits - 1)]++] = k;
        keys.swap(spare);
    }
}

// Ranks and sorted rows of a column, and its distinct values.
template <class T>
void rank_column(const View<T>& x, std::size_t j, Place* ranks, Row* order, std::vector<double>& values,
                 std::vector<Keyed>& keys, std::vector<Keyed>& spare) {
    keys.clear();
    std::size_t last = x.rows;
    for (std::size_t i = x.rows; i-- > 0;)
        if (std::isnan(x.at(i, j))) ranks[i] = kNoPlace, order[--last] = static_cast<Row>(i);
    for (std::size_t i = 0; i < x.rows; ++i)
        if (!std::isnan(x.at(i, j))) keys.push_back({key_of(static_cast<double>(x.at(i, j))), static_cast<Row>(i)});
    sort_keys(keys, spare);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i == 0 || keys[i].key != keys[i - 1].key) values.push_back(static_cast<double>(x.at(keys[i].row, j)) + 0.0);
        ranks[keys[i].row] = static_cast<Place>(values.size() - 1);
        order[i] = keys[i].row;
    }
}

// The same of a column of categories, whose ranks are their codes.
template <class T>
void rank_categories(const View<T>& x, std::size_t j, const Recoding& recoding, Place* ranks, Row* order,
                     std::vector<double>& values) {
    std::size_t starts[kCodes + 1] = {};
    for (std::size_t i = 0; i < x.rows; ++i) ++starts[recoding.of(j, static_cast<double>(x.at(i, j))) + std::size_t{1}];
    for (std::size_t k = 0; k < kCodes; ++k) starts[k + 1] += starts[k];
    for (std::size_t i = 0; i < x.rows; ++i) {
        const Code code = recoding.of(j, static_cast<double>(x.at(i, j)));
        ranks[i] = code == kMissing ? kNoPlace : code;
        order[starts[code]++] = static_cast<Row>(i);
    }
    for (std::size_t k = 0; k < kCodes; ++k) values.push_back(static_cast<double>(k));
}

template <class T>
std::vector<std::vector<double>> rank(const View<T>& x, const Recoding& recoding, Place* ranks, Row* order,
                                      const Runtime& runtime) {
    std::vector<std::vector<double>> values(x.cols);
    struct Scratch {
        std::vector<Keyed> keys, spare;
    };
    for_stripes(x.cols, 100.0 * static_cast<double>(x.rows * x.cols), runtime, [] { return Scratch{}; },
                [&](std::size_t j, Scratch& own) {
                    Place* own_ranks = ranks + j * x.rows;
                    Row* own_order = order + j * x.rows;
                    if (recoding.has(j)) rank_categories(x, j, recoding, own_ranks, own_order, values[j]);
                    else rank_column(x, j, own_ranks, own_order, values[j], own.keys, own.spare);
                });
    return values;
}

void check(std::size_t d, const Vector<std::uint8_t>& recode, const Codes& starts) {
    expect_starts("starts", starts, d, recode.size());
}

template <class T>
void define(nb::module_& m) {
    m.def(
        "code_rows",
        [](const Matrix<T>& x, const Full<double>& edges, const Vector<std::uint8_t>& recode, const Codes& starts,
           const Result<std::uint8_t>& out, int threads) {
            check(x.shape(1), recode, starts);
            expect("edges", edges, x.shape(1) * kCodes);
            expect("out", out, x.size());
            call(threads, [&](const Runtime& runtime) {
                code(view<T>(x), edges.data(), {recode.data(), starts.data()}, out.data(), runtime);
            });
        },
        nb::arg("x"), nb::arg("edges"), nb::arg("recode"), nb::arg("starts"), nb::arg("out"), nb::arg("threads"));
    m.def(
        "rank_rows",
        [](const Matrix<T>& x, const Vector<std::uint8_t>& recode, const Codes& starts, const Result<std::uint32_t>& ranks,
           const Result<std::uint32_t>& order, int threads) {
            check(x.shape(1), recode, starts);
            expect("ranks", ranks, x.size());
            expect("order", order, x.size());
            if (x.shape(0) >= kNoPlace) throw nb::value_error("there are too many rows to rank");
            auto values = call(threads, [&](const Runtime& runtime) {
                return rank(view<T>(x), {recode.data(), starts.data()}, ranks.data(), order.data(), runtime);
            });
            nb::list found;
            for (auto& column : values) found.append(owned(std::move(column)));
            return found;
        },
        nb::arg("x"), nb::arg("recode"), nb::arg("starts"), nb::arg("ranks"), nb::arg("order"), nb::arg("threads"));
}

void add(nb::module_& m) {
    define<double>(m);
    define<float>(m);
}

const Register registered(add);

}  // namespace
}  // namespace suffice
