// The nearest rows of sparse queries: for every column a list of the rows that have it, merged for the columns of a query.
//
// Inner products are added in the order of the query's columns, each product rounded before it is added, which is how a
// sparse matrix product does it (CMakeLists.txt turns fused operations off here). Rows without a common column are ranked by their length alone.

#include <algorithm>
#include <vector>

#include "core/binding.hpp"
#include "neighbors/neighbours.hpp"

namespace suffice {
namespace {

constexpr double kClose = 1e-4;  // below this part of the lengths, ‖x‖² + ‖y‖² − 2 x·y has lost too many digits


// Rows, or the lists of columns.
struct Sparse {
    const double* cells;
    const std::int32_t* at;      // ascending within each
    const std::int64_t* starts;  // and the end of the last
    std::size_t count;
};

struct Inverted {
    Sparse rows, lists;
    const double* squared;      // lengths of the rows, (n,)
    const std::int32_t* order;  // the rows by length
};

// ‖x − y‖² of two sparse rows, column by column.
double squared_difference(const Sparse& x, std::size_t i, const Sparse& y, std::size_t j) {
    std::int64_t a = x.starts[i], b = y.starts[j];
    const std::int64_t a_end = x.starts[i + 1], b_end = y.starts[j + 1];
    double sum = 0;
    while (a < a_end || b < b_end) {
        double step = 0;
        if (b == b_end || (a < a_end && x.at[a] < y.at[b]))
            step = x.cells[a++];
        else if (a == a_end || y.at[b] < x.at[a])
            step = y.cells[b++];
        else
            step = x.cells[a++] - y.cells[b++];
        sum += step * step;
    }
    return sum;
}

class Merger {
  public:
    Merger(const Inverted& index, const Sparse& queries, const double* squared)
        : index_(index), queries_(queries), squared_(squared), product_(index.rows.count), seen_(index.rows.count, 0) {}

    // Calls take(value, row) for the rows that may be within limit(), which may shrink.
    template <class Take, class Limit>
    void search(std::size_t i, Take take, Limit limit) {
        if (2 * entries_of(i) >= index_.rows.count) {  // most rows share a column: none is asked whether it does
            add_all(i);
            for (std::size_t row = 0; row < index_.rows.count; ++row)
                take(distance(i, static_cast<std::int32_t>(row)), static_cast<std::int32_t>(row));
            return;
        }
        merge(i);
        for (const std::int32_t row : touched_) take(distance(i, row), row);
        for (std::size_t r = 0; r < index_.rows.count; ++r) {
            const std::int32_t row = index_.order[r];
            const double value = squared_[i] + index_.squared[row];
            if (value > limit()) break;
            if (seen_[static_cast<std::size_t>(row)] != stamp_) take(value, row);
        }
    }

  private:
    // How many cells the lists of its columns have.
    std::size_t entries_of(std::size_t i) const {
        std::int64_t entries = 0;
        for (std::int64_t c = queries_.starts[i]; c < queries_.starts[i + 1]; ++c) {
            const std::int64_t* start = index_.lists.starts + queries_.at[c];
            entries += start[1] - start[0];
        }
        return static_cast<std::size_t>(entries);
    }

    // The inner products with all rows, in the same order.
    void add_all(std::size_t i) {
        std::fill(product_.begin(), product_.end(), 0.0);
        for (std::int64_t c = queries_.starts[i]; c < queries_.starts[i + 1]; ++c) {
            const std::int64_t *start = index_.lists.starts + queries_.at[c];
            const double cell = queries_.cells[c];
            for (std::int64_t e = start[0]; e < start[1]; ++e)
                product_[static_cast<std::size_t>(index_.lists.at[e])] += cell * index_.lists.cells[e];
        }
    }

    // The inner products with all rows that share a column.
    void merge(std::size_t i) {
        ++stamp_;
        touched_.clear();
        for (std::int64_t c = queries_.starts[i]; c < queries_.starts[i + 1]; ++c) {
            const auto column = static_cast<std::size_t>(queries_.at[c]);
            const double cell = queries_.cells[c];
            for (std::int64_t e = index_.lists.starts[column]; e < index_.lists.starts[column + 1]; ++e) {
                const std::int32_t row = index_.lists.at[e];
                const auto at = static_cast<std::size_t>(row);
                const double add = cell * index_.lists.cells[e];
                if (seen_[at] == stamp_) {
                    product_[at] += add;
                } else {
                    seen_[at] = stamp_;
                    product_[at] = add;
                    touched_.push_back(row);
                }
            }
        }
    }

    double distance(std::size_t i, std::int32_t row) const {
        const double size = squared_[i] + index_.squared[row];
        const double value = size - 2 * product_[static_cast<std::size_t>(row)];
        return value <= kClose * size ? squared_difference(queries_, i, index_.rows, static_cast<std::size_t>(row)) : value;
    }

    const Inverted& index_;
    const Sparse& queries_;
    const double* squared_;
    std::vector<double> product_;
    std::vector<std::uint32_t> seen_;
    std::vector<std::int32_t> touched_;
    std::uint32_t stamp_ = 0;
};

double cost_of(const Inverted& index, const Sparse& queries) {
    const double entries = static_cast<double>(queries.starts[queries.count]);
    const double list = static_cast<double>(index.rows.starts[index.rows.count]) / static_cast<double>(index.lists.count + 1);
    return entries * (list + 1) * 4;
}

void nearest(const Inverted& index, const Sparse& queries, const double* squared, std::size_t k, Lists out,
             const Runtime& runtime) {
    const Stripes stripes(queries.count, 16);
    struct Scratch {
        Merger merger;
        TopK list;
    };
    reduce_stripes(
        stripes.count(), cost_of(index, queries), runtime,
        [&] { return Scratch{Merger(index, queries, squared), TopK(k)}; },
        [&](std::size_t s, Scratch& scratch) {
            for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
                scratch.list.clear();
                scratch.merger.search(i, [&](double value, std::int64_t row) { scratch.list.offer(value, row); },
                                      [&] { return scratch.list.worst().value; });
                scratch.list.write(out.values + i * k, out.rows + i * k);
            }
        },
        [](std::size_t, Scratch&) {});
}

Found within(const Inverted& index, const Sparse& queries, const double* squared, double radius, const Runtime& runtime) {
    return find_all(queries.count, cost_of(index, queries), runtime, [&] { return Merger(index, queries, squared); },
                    [&](std::size_t first, std::size_t count, Merger& merger, std::vector<std::vector<Neighbour>>& lists) {
                        for (std::size_t i = 0; i < count; ++i)
                            merger.search(first + i,
                                          [&](double value, std::int64_t row) {
                                              if (value <= radius) lists[i].push_back({value, row});
                                          },
                                          [&] { return radius; });
                    });
}

Sparse sparse(const Vector<double>& cells, const Vector<std::int32_t>& at, const Codes& starts) {
    expect_csr(cells, at, starts);
    return {cells.data(), at.data(), starts.data(), starts.shape(0) - 1};
}

void expect_lengths(const Vector<double>& q_squared, const Codes& q_starts, const Vector<double>& squared,
                    const Vector<std::int32_t>& order, const Codes& starts) {
    expect("the lengths of the queries", q_squared, q_starts.size() - 1);
    expect("the lengths of the rows", squared, starts.size() - 1);
    expect("order", order, starts.size() - 1);
}

// The lists of the columns, all of which the queries have.
Sparse columns_of(const Vector<double>& cells, const Vector<std::int32_t>& at, const Codes& starts,
                const Vector<std::int32_t>& asked) {
    const Sparse lists = sparse(cells, at, starts);
    expect_below("columns of the queries", asked, lists.count);
    return lists;
}

const Register registered([](nb::module_& m) {
    m.def("inverted_nearest", [](Vector<double> qc, Vector<std::int32_t> qa, Codes qs, Vector<double> q_squared,
                                 Vector<double> rc, Vector<std::int32_t> ra, Codes rs, Vector<double> lc,
                                 Vector<std::int32_t> la, Codes ls, Vector<double> squared, Vector<std::int32_t> order,
                                 std::size_t k, int threads, Output values, Result<std::int64_t> rows) {
        expect_lengths(q_squared, qs, squared, order, rs);
        const Inverted index{sparse(rc, ra, rs), columns_of(lc, la, ls, qa), squared.data(), order.data()};
        const Sparse queries = sparse(qc, qa, qs);
        const Lists out = lists_of(values, rows, q_squared.size(), k);
        call(threads, [&](const Runtime& r) { nearest(index, queries, q_squared.data(), k, out, r); });
    }, nb::arg("query_cells"), nb::arg("query_columns"), nb::arg("query_starts"), nb::arg("query_squared"),
       nb::arg("row_cells"), nb::arg("row_columns"), nb::arg("row_starts"), nb::arg("list_cells"), nb::arg("list_rows"),
       nb::arg("list_starts"), nb::arg("squared"), nb::arg("order"), nb::arg("k"), nb::arg("threads"), nb::arg("values"),
       nb::arg("rows"));
    m.def("inverted_within", [](Vector<double> qc, Vector<std::int32_t> qa, Codes qs, Vector<double> q_squared,
                                Vector<double> rc, Vector<std::int32_t> ra, Codes rs, Vector<double> lc,
                                Vector<std::int32_t> la, Codes ls, Vector<double> squared, Vector<std::int32_t> order,
                                double radius, int threads) {
        expect_lengths(q_squared, qs, squared, order, rs);
        const Inverted index{sparse(rc, ra, rs), columns_of(lc, la, ls, qa), squared.data(), order.data()};
        const Sparse queries = sparse(qc, qa, qs);
        return to_python(
            call(threads, [&](const Runtime& r) { return within(index, queries, q_squared.data(), radius, r); }));
    }, nb::arg("query_cells"), nb::arg("query_columns"), nb::arg("query_starts"), nb::arg("query_squared"),
       nb::arg("row_cells"), nb::arg("row_columns"), nb::arg("row_starts"), nb::arg("list_cells"), nb::arg("list_rows"),
       nb::arg("list_starts"), nb::arg("squared"), nb::arg("order"), nb::arg("radius"), nb::arg("threads"));
});

}  // namespace
}  // namespace suffice
