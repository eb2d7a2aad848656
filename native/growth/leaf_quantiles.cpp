// Quantiles of the targets that lie in the leaves of rows.
#include <algorithm>
#include <cmath>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr double kTie = 1e-12;  // shares of a distribution closer than this are equal

struct LeafTargets {
    const std::int64_t* starts;  // (nodes + 1), of the targets of each
    const std::int32_t* rank;    // of the targets
    const double* share;         // in its node
    const double* levels;        // by rank
};

struct Ranked {
    std::int32_t rank;
    double share;
};

// For each share q, the least target up to which that share of all lies.
void quantiles_of(std::vector<Ranked>& found, const double* levels, const double* quantiles, std::size_t count, double* out) {
    std::stable_sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
    for (std::size_t i = 1; i < found.size(); ++i) found[i].share += found[i - 1].share;
    const double whole = found.back().share;
    for (std::size_t c = 0; c < count; ++c) {
        const double wanted = quantiles[c] * whole - kTie * whole;
        const auto at = std::partition_point(found.begin(), found.end() - 1, [&](const Ranked& r) { return r.share < wanted; });
        out[c] = levels[at->rank];
    }
}

void add(nb::module_& m) {
    m.def(
        "leaf_quantiles",
        [](const Full<std::int32_t>& nodes, const Codes& starts, const Vector<std::int32_t>& rank, const Vector<double>& share,
           const Vector<double>& levels, const Vector<double>& quantiles, const Output& out, int threads) {
            const std::size_t n = nodes.shape(0), trees = nodes.shape(1), count = quantiles.size();
            expect("share", share, rank.size());
            expect("out", out, n * count);
            const LeafTargets t{starts.data(), rank.data(), share.data(), levels.data()};
            if (starts.size() == 0) throw nb::value_error("there are no nodes");
            expect_below("nodes", nodes, starts.size() - 1);
            expect_starts("starts", starts, starts.size() - 1, rank.size());
            expect_below("rank", rank, levels.size());
            constexpr std::size_t kHeight = 64;
            call(threads, [&](const Runtime& runtime) {
                for_stripes(
                    (n + kHeight - 1) / kHeight, 200.0 * static_cast<double>(n * trees), runtime,
                    [] { return std::vector<Ranked>{}; },
                    [&](std::size_t b, std::vector<Ranked>& found) {
                        for (std::size_t i = b * kHeight; i < std::min(n, (b + 1) * kHeight); ++i) {
                            found.clear();
                            for (std::size_t k = 0; k < trees; ++k) {
                                const auto node = static_cast<std::size_t>(nodes.data()[i * trees + k]);
                                for (auto e = t.starts[node]; e < t.starts[node + 1]; ++e) found.push_back({t.rank[e], t.share[e]});
                            }
                            double* own = out.data() + i * count;
                            if (found.empty()) std::fill_n(own, count, std::nan(""));
                            else quantiles_of(found, t.levels, quantiles.data(), count, own);
                        }
                    });
            });
        },
        nb::arg("nodes"), nb::arg("starts"), nb::arg("rank"), nb::arg("share"), nb::arg("levels"), nb::arg("quantiles"),
        nb::arg("out"), nb::arg("threads"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
