// Dual coordinate descent: one variable a row, between bounds, each set to where the objective is least along it.
//
// Variables at a bound whose objective rises into the box more steeply than anything that still falls are left out until
// the others have converged (Hsieh, Chang, Lin, Keerthi and Sundararajan, 2008).
#include <chrono>
#include <limits>
#include <vector>

#include "dual/draws.hpp"
#include "sgd/bind_rows.hpp"

namespace suffice {
namespace {

constexpr std::size_t kAhead = 2;  // rows fetched before their turn
constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Box {
    const double *linear, *low, *high, *bend;  // (n)
    double width;
};

struct Result {
    double total, worst;
    std::int64_t sweeps, looks;  // sweeps over what was active, and variables looked at in all
};

// How the objective goes on along one variable from where it is.
struct Along {
    double violation, inward;
};

inline Along along(double a, double gradient, double low, double high, double width) {
    const double right = gradient + (a >= 0 ? width : -width), left = gradient - (a <= 0 ? width : -width);
    const double up = a >= high ? kInfinite : right, down = a <= low ? kInfinite : -left;
    return {std::max({0.0, -up, -down}), std::min(up, down)};
}

inline double least(double a, double gradient, double square, double low, double high, double width) {
    const double z = a - gradient / square, reach = width / square;
    const double drawn = z > reach ? z - reach : z < -reach ? z + reach : 0.0;
    return std::min(std::max(drawn, low), high);
}

template <class Rows>
Result sweep(const Rows& x, const Box& box, double intercept, double spread, double tol, std::int64_t most,
             std::uint64_t seed, Result state, const Runtime& runtime, double* a, double* slope) {
    const std::size_t n = x.rows;
    std::vector<double> square(n);
    std::vector<std::uint32_t> active(n);
    for (std::size_t i = 0; i < n; ++i) {
        square[i] = x.squared(i) + spread + box.bend[i];
        active[i] = static_cast<std::uint32_t>(i);
    }
    Draws draws(seed);
    double steep = state.worst, total = state.total, worst = state.worst;
    std::size_t count = n;
    std::int64_t done = 0, looks = 0;
    while (done < most) {
        if (runtime.interrupted()) throw Interrupted{};
        draws.shuffle(active.data(), count);
        worst = 0;
        looks += static_cast<std::int64_t>(count);
        std::size_t kept = 0;
        for (std::size_t p = 0; p < count; ++p) {
            if (p + kAhead < count) x.fetch(active[p + kAhead]);
            const std::uint32_t i = active[p];
            const double before = a[i];
            const double gradient =
                x.dot(i, slope) + intercept + spread * total - box.linear[i] + box.bend[i] * before;
            const Along found = along(before, gradient, box.low[i], box.high[i], box.width);
            if (found.violation == 0 && found.inward > (1 + 1e-9) * steep) continue;  // rounding decides nothing
            active[kept++] = i;
            worst = std::max(worst, found.violation);
            if (!(found.violation > 0 && square[i] > 0)) continue;
            const double after = least(before, gradient, square[i], box.low[i], box.high[i], box.width);
            a[i] = after;
            x.add(i, after - before, slope);
            total += after - before;
        }
        ++done;
        if (worst <= tol && kept == n) break;
        const bool again = worst <= tol;
        for (std::size_t i = 0; again && i < n; ++i) active[i] = static_cast<std::uint32_t>(i);
        count = again ? n : kept;
        steep = again || worst == 0 ? kInfinite : worst;
    }
    return {total, worst, done, looks};
}

template <class Rows>
nb::tuple checked(const Rows& x, const Vector<double>& linear, const Vector<double>& low, const Vector<double>& high,
                  const Vector<double>& bend, const Vector<double>& numbers, std::int64_t most, std::int64_t seed,
                  int threads, const Output& a, const Output& slope) {
    for (const Vector<double>* array : {&linear, &low, &high, &bend}) expect("box", *array, x.rows);
    expect("numbers", numbers, 6);
    expect("a", a, x.rows);
    expect("slope", slope, x.cols);
    if (x.rows > std::numeric_limits<std::uint32_t>::max()) throw nb::value_error("too many rows");
    const double* v = numbers.data();
    const Box box{linear.data(), low.data(), high.data(), bend.data(), v[0]};
    const Result found = call(threads, [&](const Runtime& r) {
        return sweep(x, box, v[1], v[2], v[3], most, static_cast<std::uint64_t>(seed), Result{v[4], v[5], 0, 0}, r,
                     a.data(), slope.data());
    });
    return nb::make_tuple(found.total, found.worst, found.sweeps, found.looks);
}

const Register registered([](nb::module_& m) {
    bind_rows(m, "dual_sweeps", &checked<DenseRows<double>>, [](const auto&... all) { return checked(all...); },
              nb::arg("linear"), nb::arg("low"), nb::arg("high"), nb::arg("bend"), nb::arg("numbers"), nb::arg("most"),
              nb::arg("seed"), nb::arg("threads"), nb::arg("a"), nb::arg("slope"));
});

}  // namespace
}  // namespace suffice
