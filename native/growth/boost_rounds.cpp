// Rounds of gradient boosting; see suffice/backend/boosting/portable.py for what they are.
#include <cmath>

#include "growth/nodes.hpp"
#include "growth/rounds.hpp"

namespace suffice {
namespace {

struct Grove {
    Nodes nodes;
    std::vector<double> value, totals;  // (nodes); Σ w ℓ after each round
};

// Rounds until seeds are used up, or one of them grows nothing though nothing is left to chance.
Grove boosted(const CodedTable& table, const Limits& limits, const Boosted& asked, const RoundsPlan& plan,
              const Standing& standing, const std::int64_t* seeds, std::size_t most, double* judged, const Runtime& runtime) {
    const bool worth = static_cast<double>(table.n * table.d) > kWorthThreads;
    const bool by_chance = plan.sampling.draws > 0 || limits.tried < table.d;
    Team team(worth ? runtime.threads : 1);
    Clock clock(runtime);
    Rounds rounds(table, limits, asked, plan, standing, team);
    Grove found;
    for (std::size_t r = 0; r < most; ++r) {
        bool grown = by_chance;
        for (std::size_t c = 0; c < standing.k; ++c) {
            const auto seed = static_cast<std::uint64_t>(seeds[r * standing.k + c]);
            const auto tree = rounds.tree(c, seed, found.value, clock);
            grown |= tree.nodes.size() > 1;
            found.nodes.append(rounds.rows(), tree, 3);
        }
        found.totals.push_back(rounds.parts());
        if (plan.judged) rounds.write_judged(judged + r * standing.k * plan.judged_count);
        if (!grown) break;
    }
    return found;
}

using Flags = Vector<std::uint8_t>;
using Numbers = Optional<Vector<double>>;

void add(nb::module_& m) {
    m.def(
        "boost_rounds",
        [](const Full<std::uint8_t>& codes, const Full<std::uint8_t>& by_row, const Flags& categorical,
           const Full<double>& values, const Vector<double>& limits, const Optional<Vector<std::int8_t>>& monotone,
           const Optional<Full<std::uint8_t>>& together, int kind, const Vector<double>& numbers, const Vector<double>& y,
           const Numbers& weight, const Numbers& counted, const Numbers& factor, const Optional<Codes>& times,
           const Optional<Vector<std::int32_t>>& learned, std::size_t drawn, const Optional<Codes>& mass,
           const Optional<Codes>& judged, const Codes& seeds, const Output& raw, const Output& gradient,
           const Optional<Output>& curvature, const Optional<Output>& predictors, int threads) {
            const auto complete = complete_columns(codes.data(), codes.shape(1), codes.shape(0));
            const CodedTable table{codes.data(),       codes.shape(1), codes.shape(0),
                                   categorical.data(), values.data(),  complete.data()};
            const std::size_t n = table.n, k = raw.shape(0), most = k ? seeds.size() / k : 0;
            const std::size_t judges = judged ? judged->size() : 0, groups = together ? together->shape(0) : 0;
            expect("codes by row", by_row, codes.size());
            expect("categorical", categorical, table.d);
            expect("values", values, table.d * kCodes);
            expect("limits", limits, Limits::kNumbers);
            expect("monotone", monotone, table.d);
            expect("together", together, groups * table.d);
            expect("numbers", numbers, 8);
            expect("y", y, n);
            for (const auto* each : {&weight, &counted, &factor}) expect("weights", *each, n);
            expect("times", times, n);
            expect("learned", learned, n);
            expect_draws(drawn, mass, n);
            expect("seeds", seeds, most * k);
            expect("raw", raw, k * n);
            expect("gradient", gradient, k * n);
            expect("curvature", curvature, k * n);
            expect("predictors", predictors, most * k * judges);
            const double* v = numbers.data();
            const bool softmax = kind == RoundsPlan::kSoftmax;
            bool known = n > 0 && n < kNoPlace && table.d > 0 && (softmax || k == 1) && std::isnan(v[4]) == curvature.has_value() &&
                         (!softmax || curvature) && (judged.has_value() == predictors.has_value()) && (!drawn || mass);
            expect_below("judged", judged, n);
            if (!known) throw nb::value_error("the rounds of boosting were asked for wrongly");
            const RoundsPlan plan{
                kind, v, v[2], v[3], v[4], v[5], v[6], static_cast<int>(v[7]), y.data(), pointer(weight), pointer(counted),
                pointer(factor), pointer(times), pointer(learned), {drawn, false, pointer(mass)}, pointer(judged), judges};
            const Boosted asked{by_row.data(), pointer(monotone), pointer(together), groups};
            const Standing standing{raw.data(), gradient.data(), pointer(curvature), k, n};
            const Limits own = Limits::of(limits.data());
            Grove found = call(threads, [&](const Runtime& runtime) {
                return boosted(table, own, asked, plan, standing, seeds.data(), most, pointer(predictors), runtime);
            });
            return nb::make_tuple(to_python(std::move(found.nodes)), owned(std::move(found.value)),
                                  owned(std::move(found.totals)));
        },
        nb::arg("codes"), nb::arg("by_row"), nb::arg("categorical"), nb::arg("values"), nb::arg("limits"),
        nb::arg("monotone").none(), nb::arg("together").none(), nb::arg("kind"), nb::arg("numbers"), nb::arg("y"),
        nb::arg("weight").none(), nb::arg("counted").none(), nb::arg("factor").none(), nb::arg("times").none(),
        nb::arg("learned").none(), nb::arg("drawn"), nb::arg("mass").none(), nb::arg("judged").none(), nb::arg("seeds"),
        nb::arg("raw"), nb::arg("gradient"), nb::arg("curvature").none(), nb::arg("predictors").none(), nb::arg("threads"));
    m.def(
        "class_parts",
        [](const Full<double>& raw, const Vector<double>& y, const Numbers& weight, const Output& gradient,
           const Output& curvature, int threads) {
            const std::size_t k = raw.shape(0), n = raw.shape(1);
            expect("y", y, n);
            expect("weight", weight, n);
            expect("gradient", gradient, k * n);
            expect("curvature", curvature, k * n);
            if (k == 0) throw nb::value_error("there are no classes");
            const SoftmaxParts parts{raw.data(), y.data(), pointer(weight), gradient.data(), curvature.data(), k, n};
            return call(threads, [&](const Runtime& runtime) {
                const Stripes stripes(n, 4096);
                double total = 0;
                reduce_stripes(
                    stripes.count(), 30.0 * static_cast<double>(k * n), runtime, [] { return 0.0; },
                    [&](std::size_t s, double& own) { own = parts(stripes.begin(s), stripes.end(s)); },
                    [&](std::size_t, double& own) { total += own; });
                return total;
            });
        },
        nb::arg("raw"), nb::arg("y"), nb::arg("weight").none(), nb::arg("gradient"), nb::arg("curvature"), nb::arg("threads"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
