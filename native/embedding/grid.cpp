// Points spread over a grid by quintic B-splines, and a field on the grid read off at points.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/binding.hpp"
#include "embedding/points.hpp"

namespace suffice {
namespace {

constexpr std::size_t kTaps = 6, kBefore = 2;  // knots a point is between, and how many of them come before it
constexpr std::size_t kBand = 16;              // rows of the grid that are summed by themselves

// The B-spline of some order at the knots around a point that is t behind one of them.
template <std::size_t Order>
void spline(double t, double* weight) {
    std::fill_n(weight, kTaps, 0.0);
    weight[0] = 1;
    for (std::size_t r = 2; r <= Order; ++r)
        for (std::size_t j = r; j-- > 0;) {
            const double before = j > 0 ? weight[j - 1] : 0.0, own = j + 1 < r ? weight[j] : 0.0;
            const double left = t + static_cast<double>(r - 1 - j), right = static_cast<double>(j + 1) - t;
            weight[j] = (left * before + right * own) / static_cast<double>(r - 1);
        }
}

// Where a point is between the knots of one axis; one beyond them is taken at their rim.
struct Place {
    std::size_t first;  // knot
    double t;

    Place(double at, std::size_t knots) {
        const double low = kBefore, high = static_cast<double>(knots - kTaps + kBefore);
        at = at >= low ? std::min(at, high) : low;  // what is no number is at the rim as well
        const double whole = std::min(std::floor(at), high);
        first = static_cast<std::size_t>(whole) - kBefore;
        t = at - whole;
    }
};

struct Grid {
    std::size_t rows, columns;
    const double* origin;  // (2)
    double step;

    Place row(const double* z) const { return Place((z[0] - origin[0]) / step, rows); }
    Place column(const double* z) const { return Place((z[1] - origin[1]) / step, columns); }
};

// Points in the order of the row of the grid at which they begin, those of one row in their own order.
struct ByRow {
    std::vector<std::size_t> order, ends;

    ByRow(const double* points, std::size_t n, const Grid& grid) : order(n), ends(grid.rows + 1) {
        std::vector<std::size_t> row(n);
        for (std::size_t i = 0; i < n; ++i) ++ends[(row[i] = grid.row(points + 2 * i).first) + 1];
        for (std::size_t r = 1; r < ends.size(); ++r) ends[r] += ends[r - 1];
        std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
        for (std::size_t i = 0; i < n; ++i) order[next[row[i]]++] = i;
    }
};

void spread(const double* points, std::size_t n, const double* mass, const Grid& grid, const Runtime& runtime, double* out) {
    std::fill_n(out, grid.rows * grid.columns, 0.0);
    const ByRow sorted(points, n, grid);
    const std::size_t bands = (grid.rows + kBand - 1) / kBand, height = kBand + kTaps - 1;
    using Room = std::vector<double>;
    const auto make = [&] { return Room(height * grid.columns); };
    const auto work = [&](std::size_t band, Room& room) {
        std::fill(room.begin(), room.end(), 0.0);
        const std::size_t top = band * kBand, last = std::min(top + kBand, grid.rows);
        for (std::size_t at = sorted.ends[top]; at < sorted.ends[last]; ++at) {
            const std::size_t i = sorted.order[at];
            const double* z = points + 2 * i;
            const Place r = grid.row(z), c = grid.column(z);
            double down[kTaps], across[kTaps];
            spline<kTaps>(r.t, down);
            spline<kTaps>(c.t, across);
            for (std::size_t a = 0; a < kTaps; ++a) {
                const double own = down[a] * (mass ? mass[i] : 1.0);
                double* to = room.data() + (r.first - top + a) * grid.columns + c.first;
                for (std::size_t b = 0; b < kTaps; ++b) to[b] += own * across[b];
            }
        }
    };
    const auto merge = [&](std::size_t band, Room& room) {
        const std::size_t top = band * kBand, count = std::min(height, grid.rows - top) * grid.columns;
        double* to = out + top * grid.columns;
        for (std::size_t cell = 0; cell < count; ++cell) to[cell] += room[cell];
    };
    reduce_stripes(bands, 150.0 * static_cast<double>(n), runtime, make, work, merge);
}

// The spline, its slope and its curvature at the knots around a point.
struct Weights {
    double value[kTaps], slope[kTaps], curve[kTaps];

    Weights(double t, double step, bool curved) {
        double lower[kTaps];
        spline<kTaps>(t, value);
        spline<kTaps - 1>(t, lower);
        difference(lower, step, slope);
        if (!curved) return;
        double lowest[kTaps];
        spline<kTaps - 2>(t, lowest);
        difference(lowest, step, lower);
        difference(lower, step, curve);
    }

  private:
    static void difference(const double* from, double step, double* to) {
        for (std::size_t j = 0; j < kTaps; ++j) to[j] = ((j > 0 ? from[j - 1] : 0.0) - from[j]) / step;
    }
};

void read_off(const double* rows, std::size_t q, const double* field, const Grid& grid, const Runtime& runtime, Field out) {
    const Stripes stripes(q, 64);
    for_stripes(stripes.count(), 200.0 * static_cast<double>(q), runtime, [] { return 0; }, [&](std::size_t s, int&) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            const Place r = grid.row(rows + 2 * i), c = grid.column(rows + 2 * i);
            const Weights down(r.t, grid.step, out.curve), across(c.t, grid.step, out.curve);
            double value = 0, first = 0, second = 0, curve[3] = {0, 0, 0};
            for (std::size_t a = 0; a < kTaps; ++a) {
                const double* cells = field + (r.first + a) * grid.columns + c.first;
                double own = 0, slope = 0, bend = 0;
                for (std::size_t b = 0; b < kTaps; ++b) own += cells[b] * across.value[b], slope += cells[b] * across.slope[b];
                value += down.value[a] * own, first += down.slope[a] * own, second += down.value[a] * slope;
                if (!out.curve) continue;
                for (std::size_t b = 0; b < kTaps; ++b) bend += cells[b] * across.curve[b];
                curve[0] += down.curve[a] * own, curve[1] += down.slope[a] * slope, curve[2] += down.value[a] * bend;
            }
            out.value[i] = value;
            out.slope[2 * i] = first, out.slope[2 * i + 1] = second;
            if (!out.curve) continue;
            double* to = out.curve + 4 * i;
            to[0] = curve[0], to[1] = to[2] = curve[1], to[3] = curve[2];
        }
    });
}

void expect_grid(std::size_t rows, std::size_t columns) {
    if (rows < kTaps || columns < kTaps) throw nb::value_error("a grid needs at least 6 rows and 6 columns");
}

const Register registered([](nb::module_& m) {
    m.def("embedding_spread", [](Full<double> points, Optional<Input> mass, Input origin, double step, int threads, Output out) {
        const std::size_t n = points.shape(0), rows = out.shape(0), columns = out.shape(1);
        expect("points", points, n * 2);
        expect("mass", mass, n);
        expect("origin", origin, 2);
        expect_grid(rows, columns);
        const Grid grid{rows, columns, origin.data(), step};
        const double *own = points.data(), *weight = pointer(mass);
        double* into = out.data();
        call(threads, [&](const Runtime& r) { spread(own, n, weight, grid, r, into); });
    }, nb::arg("points"), nb::arg("mass").none(), nb::arg("origin"), nb::arg("step"), nb::arg("threads"), nb::arg("out"));
    m.def("embedding_read_off", [](Full<double> rows, Full<double> field, Input origin, double step, int threads, Output value,
                                   Output slope, Optional<Output> curve) {
        const std::size_t q = rows.shape(0);
        expect("rows", rows, q * 2);
        expect("origin", origin, 2);
        expect("value", value, q);
        expect("slope", slope, q * 2);
        expect("curve", curve, q * 4);
        expect_grid(field.shape(0), field.shape(1));
        const Grid grid{field.shape(0), field.shape(1), origin.data(), step};
        const Field out{value.data(), slope.data(), pointer(curve)};
        const double *own = rows.data(), *cells = field.data();
        call(threads, [&](const Runtime& r) { read_off(own, q, cells, grid, r, out); });
    }, nb::arg("rows"), nb::arg("field"), nb::arg("origin"), nb::arg("step"), nb::arg("threads"), nb::arg("value"),
       nb::arg("slope"), nb::arg("curve").none());
});

}  // namespace
}  // namespace suffice
