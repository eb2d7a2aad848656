// Stochastic gradient descent over the known cells of a factorisation, one after the other: the order is given.
#include <vector>

#include "core/binding.hpp"
#include "core/vectors.hpp"

namespace suffice {
namespace {

struct Cells {
    const std::int64_t *rows, *columns;
    const double *values, *weight;
};

// One cell: u and v step along its gradient, with the shares of the ridge that it has.
void step(double error, double rate, double own, double other, std::size_t p, double* u, double* v) {
    for (std::size_t c = 0; c < p; ++c) {
        const double before = u[c];
        u[c] += rate * (error * v[c] - own * before);
        v[c] += rate * (error * before - other * v[c]);
    }
}

void descend(const Cells& x, const std::int64_t* order, std::size_t first, std::size_t end, double mean, double rate,
             const double* row_ridge, const double* column_ridge, bool biased, std::size_t k, double* U, double* V) {
    const std::size_t p = k + (biased ? 2 : 0);  // the last two of a row: its bias and 1, of a column: 1 and its bias
    for (std::size_t at = first; at < end; ++at) {
        const std::size_t cell = static_cast<std::size_t>(order[at]);
        const std::size_t i = static_cast<std::size_t>(x.rows[cell]), j = static_cast<std::size_t>(x.columns[cell]);
        double *u = U + i * p, *v = V + j * p, expected = mean;
        for (std::size_t c = 0; c < p; ++c) expected += u[c] * v[c];
        const double w = x.weight ? x.weight[cell] : 1.0, error = w * (x.values[cell] - expected);
        const double own = w * row_ridge[i], other = w * column_ridge[j];
        step(error, rate, own, other, k, u, v);
        if (biased) {
            u[k] += rate * (error - own * u[k]);
            v[k + 1] += rate * (error - other * v[k + 1]);
        }
    }
}

const Register registered([](nb::module_& m) {
    m.def("descend_cells", [](Codes rows, Codes columns, Input values, Optional<Input> weight, Codes order, double mean,
                              double rate, Input row_ridge, Input column_ridge, bool biased, std::size_t p, Output U,
                              Output V) {
        expect("columns", columns, rows.size());
        expect("values", values, rows.size());
        expect("weight", weight, rows.size());
        expect("order", order, rows.size());
        expect_below("rows", rows, row_ridge.size());
        expect_below("columns", columns, column_ridge.size());
        expect_below("order", order, rows.size());
        if (biased && p < 2) throw nb::value_error("there is no room for biases");
        expect("U", U, row_ridge.size() * p);
        expect("V", V, column_ridge.size() * p);
        const Cells x{rows.data(), columns.data(), values.data(), pointer(weight)};
        const std::int64_t* turn = order.data();
        const double *a = row_ridge.data(), *b = column_ridge.data();
        double *u = U.data(), *v = V.data();
        const std::size_t k = p - (biased ? 2 : 0), n = rows.size();
        call(1, [&](const Runtime& r) {
            for (std::size_t first = 0; first < n; first += 1 << 18) {
                if (r.interrupted()) throw Interrupted{};
                descend(x, turn, first, std::min(n, first + (1 << 18)), mean, rate, a, b, biased, k, u, v);
            }
        });
    }, nb::arg("rows"), nb::arg("columns"), nb::arg("values"), nb::arg("weight").none(), nb::arg("order"),
       nb::arg("mean"), nb::arg("rate"), nb::arg("row_ridge"), nb::arg("column_ridge"), nb::arg("biased"), nb::arg("p"),
       nb::arg("U"), nb::arg("V"));
});

}  // namespace
}  // namespace suffice
