// Trees of gradients, curvatures and weights; see suffice/backend/growth/boosted.py for what they are.
#include <cmath>

#include "growth/boosting.hpp"
#include "growth/nodes.hpp"
#include "growth/scaled_steps.hpp"

namespace suffice {
namespace {

// The largest numbers that a row adds, and whether all curvatures are weights.
Packing packing_of(const std::int64_t* sums, std::size_t n) {
    std::int64_t first = 0, second = 0, third = 0, least = 0;
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t* s = sums + 3 * i;
        first = std::max(first, std::abs(s[0]));
        second = std::max(second, s[1]), third = std::max(third, s[2]), least = std::min({least, s[1], s[2]});
        same &= s[1] == s[2];
    }
    if (least < 0) throw nb::value_error("curvatures and weights must be at least 0");
    return Packing(first, second, third, same);
}

Nodes boosted(const CodedTable& table, const std::int64_t* sums, const Limits& limits, const Boosted& asked,
              const Step& step, std::int32_t* leaves, const Runtime& runtime) {
    const bool worth = static_cast<double>(table.n * table.d) > kWorthThreads;
    Team team(worth ? runtime.threads : 1);
    Clock clock(runtime);
    BoostedGrower grower(table, limits, asked, team);
    const auto adds = [&](std::size_t i) { return TripleSums{sums[3 * i], sums[3 * i + 1], sums[3 * i + 2]}; };
    const auto tree = grower.grow(step, adds, clock);
    grower.each_leaf(tree, step.times, [&](Row row, std::size_t leaf) { leaves[row] = static_cast<std::int32_t>(leaf); });
    Nodes nodes;
    nodes.append(grower.rows(), tree, 3);
    return nodes;
}

using Flags = Vector<std::uint8_t>;

void add(nb::module_& m) {
    m.def(
        "grow_boosted",
        [](const Full<std::uint8_t>& codes, const Full<std::uint8_t>& by_row, const Flags& categorical,
           const Full<double>& values, const Full<std::int64_t>& sums, const Vector<double>& units,
           const Vector<double>& limits, const Optional<Vector<std::int8_t>>& monotone,
           const Optional<Full<std::uint8_t>>& together, const Optional<Vector<std::int32_t>>& times, std::size_t seed,
           const Result<std::int32_t>& leaves, int threads) {
            const CodedTable table{codes.data(), codes.shape(1), codes.shape(0), categorical.data(), values.data()};
            expect("codes by row", by_row, codes.size());
            expect("categorical", categorical, table.d);
            expect("values", values, table.d * kCodes);
            expect("sums", sums, 3 * table.n);
            expect("units", units, 4);
            expect("limits", limits, Limits::kNumbers);
            expect("monotone", monotone, table.d);
            expect("times", times, table.n);
            expect("leaves", leaves, table.n);
            const std::size_t groups = together ? together->shape(0) : 0;
            expect("together", together, groups * table.d);
            if (table.n == 0 || table.n >= kNoPlace) throw nb::value_error("the growth of trees was asked for wrongly");
            const double* u = units.data();
            const Step step{{u[0], u[1], u[2], u[3]}, packing_of(sums.data(), table.n), pointer(times), seed};
            const Boosted asked{by_row.data(), pointer(monotone), pointer(together), groups};
            const Limits own = Limits::of(limits.data());
            return to_python(call(threads, [&](const Runtime& runtime) {
                return boosted(table, sums.data(), own, asked, step, leaves.data(), runtime);
            }));
        },
        nb::arg("codes"), nb::arg("by_row"), nb::arg("categorical"), nb::arg("values"), nb::arg("sums"), nb::arg("units"),
        nb::arg("limits"), nb::arg("monotone").none(), nb::arg("together").none(), nb::arg("times").none(),
        nb::arg("seed"), nb::arg("leaves"), nb::arg("threads"));
    m.def(
        "whole_steps",
        [](const Vector<double>& gradient, const Optional<Vector<double>>& curvature, const Optional<Vector<double>>& factor,
           const Optional<Codes>& times, double first, double second, const Result<std::int64_t>& out, int threads) {
            const std::size_t n = gradient.size();
            expect("curvature", curvature, n);
            expect("factor", factor, n);
            expect("times", times, n);
            expect("out", out, 3 * n);
            const Scaled scaled{first, second, gradient.data(), pointer(curvature), pointer(factor), pointer(times)};
            call(threads, [&](const Runtime& runtime) {
                const Stripes stripes(n, 4096);
                for_stripes(stripes.count(), 4.0 * static_cast<double>(n), runtime, [] { return 0; }, [&](std::size_t s, int) {
                    for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
                        const TripleSums own = scaled(i);
                        std::int64_t* at = out.data() + 3 * i;
                        at[0] = own.first, at[1] = own.second, at[2] = own.third;
                    }
                });
            });
        },
        nb::arg("gradient"), nb::arg("curvature").none(), nb::arg("factor").none(), nb::arg("times").none(),
        nb::arg("first"), nb::arg("second"), nb::arg("out"), nb::arg("threads"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
