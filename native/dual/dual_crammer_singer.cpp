// Dual coordinate descent for the hinge loss of several classes: the k variables of a row at once, whose best values
// under Σ a = 0 and their bounds follow from one sort (Keerthi, Sundararajan, Chang, Hsieh and Lin, 2008).
#include <algorithm>
#include <limits>
#include <vector>

#include "dual/draws.hpp"
#include "sgd/bind_rows.hpp"

namespace suffice {
namespace {

// One row of a dense table times slopes (d, k), and added to them.
template <class T>
void dot_classes(const DenseRows<T>& x, std::size_t i, const double* slope, std::size_t k, double* out) {
    const T* row = x.row(i);
    for (std::size_t j = 0; j < x.cols; ++j) {
        const double cell = static_cast<double>(row[j]);
        for (std::size_t c = 0; c < k; ++c) out[c] += cell * slope[j * k + c];
    }
}
template <class T>
void add_classes(const DenseRows<T>& x, std::size_t i, const double* by, std::size_t k, double* slope) {
    const T* row = x.row(i);
    for (std::size_t j = 0; j < x.cols; ++j) {
        const double cell = static_cast<double>(row[j]);
        for (std::size_t c = 0; c < k; ++c) slope[j * k + c] += cell * by[c];
    }
}
template <class T, class I>
void dot_classes(const SparseRows<T, I>& x, std::size_t i, const double* slope, std::size_t k, double* out) {
    for (I p = x.x.starts[i]; p < x.x.starts[i + 1]; ++p) {
        const double cell = static_cast<double>(x.x.data[p]);
        const double* own = slope + static_cast<std::size_t>(x.x.indices[p]) * k;
        for (std::size_t c = 0; c < k; ++c) out[c] += cell * own[c];
    }
}
template <class T, class I>
void add_classes(const SparseRows<T, I>& x, std::size_t i, const double* by, std::size_t k, double* slope) {
    for (I p = x.x.starts[i]; p < x.x.starts[i + 1]; ++p) {
        const double cell = static_cast<double>(x.x.data[p]);
        double* own = slope + static_cast<std::size_t>(x.x.indices[p]) * k;
        for (std::size_t c = 0; c < k; ++c) own[c] += cell * by[c];
    }
}

// The β with a_c = min(bound_c, (β − b_c) / square) that sum to 0; only the class `own` has a bound above 0.
inline double level_of(const std::vector<double>& b, double square, double cost, std::size_t own,
                       std::vector<double>& level) {
    level = b;
    level[own] += square * cost;
    std::sort(level.begin(), level.end(), [](double left, double right) { return left > right; });
    double beta = level[0] - square * cost;
    std::size_t r = 1;
    for (; r < level.size() && beta < static_cast<double>(r) * level[r]; ++r) beta += level[r];
    return beta / static_cast<double>(r);
}

struct Given {
    const std::int64_t* y;
    const double *cost, *intercept;
    double spread, tol, violation;
    std::size_t k;
};

template <class Rows>
std::pair<double, std::int64_t> sweep(const Rows& x, const Given& g, std::int64_t most, std::uint64_t seed,
                                      const Runtime& runtime, double* a, double* slope) {
    const std::size_t n = x.rows, k = g.k;
    std::vector<double> square(n), totals(k), gradient(k), moved(k), b(k), level(k);
    std::vector<std::uint32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) {
        square[i] = x.squared(i) + g.spread;
        order[i] = static_cast<std::uint32_t>(i);
        for (std::size_t c = 0; c < k; ++c) totals[c] += a[i * k + c];
    }
    Draws draws(seed);
    double worst = g.violation;
    std::int64_t done = 0;
    while (done < most) {
        if (runtime.interrupted()) throw Interrupted{};
        draws.shuffle(order.data(), n);
        worst = 0;
        for (std::size_t p = 0; p < n; ++p) {
            if (p + 2 < n) x.fetch(order[p + 2]);
            const std::size_t i = order[p], own = static_cast<std::size_t>(g.y[i]);
            if (!(square[i] > 0)) continue;
            double* mine = a + i * k;
            for (std::size_t c = 0; c < k; ++c) gradient[c] = g.intercept[c] + g.spread * totals[c] + (c != own);
            dot_classes(x, i, slope, k, gradient.data());
            double high = -std::numeric_limits<double>::infinity(), low = -high;
            for (std::size_t c = 0; c < k; ++c) {
                high = std::max(high, gradient[c]);
                if (mine[c] < (c == own ? g.cost[i] : 0.0)) low = std::min(low, gradient[c]);
                b[c] = gradient[c] - square[i] * mine[c];
            }
            worst = std::max(worst, high - low);
            const double beta = level_of(b, square[i], g.cost[i], own, level);
            bool moves = false;
            for (std::size_t c = 0; c < k; ++c) {
                const double after = std::min(c == own ? g.cost[i] : 0.0, (beta - b[c]) / square[i]);
                moved[c] = after - mine[c];
                moves |= moved[c] != 0;
                mine[c] = after;
                totals[c] += moved[c];
            }
            if (moves) add_classes(x, i, moved.data(), k, slope);
        }
        ++done;
        if (worst <= g.tol) break;
    }
    return {worst, done};
}

template <class Rows>
nb::tuple checked(const Rows& x, const Codes& y, const Vector<double>& cost, const Vector<double>& intercept,
                  const Vector<double>& numbers, std::int64_t most, std::int64_t seed, int threads, const Output& a,
                  const Output& slope) {
    const std::size_t k = intercept.size();
    expect("y", y, x.rows);
    expect("cost", cost, x.rows);
    expect("numbers", numbers, 3);
    expect("a", a, x.rows * k);
    expect("slope", slope, x.cols * k);
    if (k == 0 || x.rows > std::numeric_limits<std::uint32_t>::max()) throw nb::value_error("no classes, or too many rows");
    expect_below("y", y, k);
    const double* v = numbers.data();
    const Given given{y.data(), cost.data(), intercept.data(), v[0], v[1], v[2], k};
    const auto found = call(threads, [&](const Runtime& r) {
        return sweep(x, given, most, static_cast<std::uint64_t>(seed), r, a.data(), slope.data());
    });
    return nb::make_tuple(found.first, found.second);
}

const Register registered([](nb::module_& m) {
    bind_rows(m, "dual_crammer_singer", &checked<DenseRows<double>>, [](const auto&... all) { return checked(all...); },
              nb::arg("y"), nb::arg("cost"), nb::arg("intercept"), nb::arg("numbers"), nb::arg("most"),
              nb::arg("seed"), nb::arg("threads"), nb::arg("a"), nb::arg("slope"));
});

}  // namespace
}  // namespace suffice
