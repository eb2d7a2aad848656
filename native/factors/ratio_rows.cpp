// Counts as mixtures of topics: what each topic has of every cell, and the shares of topics in a row.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr double kLeast = 1e-300;  // what a cell that no topic has is expected to be, in logarithms

struct Cells {
    const std::int64_t *starts, *columns;
    const double* values;
    std::size_t rows;

    double count() const { return static_cast<double>(starts[rows]); }
};

// A matrix (m, k) whose rows are padded with zeros to whole vectors.
struct Padded {
    std::size_t k, width;
    std::vector<double> cells;

    Padded(const double* from, std::size_t m, std::size_t k) : k(k), width(round_up(k, kLanes)), cells(m * width, 0.0) {
        for (std::size_t i = 0; i < m; ++i) std::copy_n(from + i * k, k, cells.data() + i * width);
    }

    const double* row(std::int64_t i) const { return cells.data() + static_cast<std::size_t>(i) * width; }
};

double dot(const double* a, const double* b, std::size_t width) {
    Vec sum{};
    for (std::size_t c = 0; c < width; c += kLanes) sum += load(a + c) * load(b + c);
    return sum_lanes(sum);
}

// total = Σⱼ xⱼ / (a·bⱼ) bⱼ over the cells of a row.
void sum_ratios(const Cells& x, std::size_t i, const double* own, const Padded& other, double* total) {
    std::fill_n(total, other.width, 0.0);
    for (std::int64_t at = x.starts[i]; at < x.starts[i + 1]; ++at) {
        const double* b = other.row(x.columns[at]);
        const double expected = dot(own, b, other.width);
        if (!(expected > 0)) continue;
        const Vec ratio = broadcast(x.values[at] / expected);
        for (std::size_t c = 0; c < other.width; c += kLanes) store(total + c, load(total + c) + ratio * load(b + c));
    }
}

// The logarithmic derivative of the gamma function, x > 0, from the asymptotic series beyond 6.
double digamma(double x) {
    double below = 0;
    for (; x < 6; x += 1) below -= 1 / x;
    const double s = 1 / (x * x);
    return below + std::log(x) - 0.5 / x -
           s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760 - s / 12))))));
}

struct Scratch {
    std::vector<double> own, total;
};

// The shares (n, k) of the topics in each row, improved where they are: w ← w ∘ total, or with a prior
// w ← prior + e ∘ total, e = exp ψ(w). `less` (n, k) is divided by without a prior.
void mix_rows(const Cells& x, const Padded& topics, const double* prior, const double* less, std::size_t most,
              double tolerance, const Runtime& runtime, double* shares) {
    const std::size_t k = topics.k;
    const Stripes stripes(x.rows, 4);
    const double work = x.count() * static_cast<double>(4 * topics.width * std::min<std::size_t>(most, 20));
    for_stripes(stripes.count(), work, runtime,
                [&] { return Scratch{std::vector<double>(topics.width, 0.0), std::vector<double>(topics.width)}; },
                [&](std::size_t s, Scratch& room) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            double* w = shares + i * k;
            for (std::size_t sweep = 0; sweep < most; ++sweep) {
                for (std::size_t z = 0; z < k; ++z) room.own[z] = prior ? std::exp(digamma(w[z])) : w[z];
                sum_ratios(x, i, room.own.data(), topics, room.total.data());
                double change = 0, size = 0;
                for (std::size_t z = 0; z < k; ++z) {
                    double now = room.own[z] * room.total[z];
                    if (prior) now += prior[z];
                    else if (less) now = less[i * k + z] > 0 ? now / less[i * k + z] : 0.0;
                    change += std::abs(now - w[z]);
                    size += now;
                    w[z] = now;
                }
                if (change <= tolerance * size) break;
            }
        }
    });
}

// sums (n, k) = Σⱼ xⱼ / (aᵢ·bⱼ) bⱼ of each row; figures (n, 3): over its cells Σ x log e, Σ (x log(x / e) − x + e) and
// Σ e, where e = aᵢ·bⱼ.
void ratio_sums(const Cells& x, const Padded& own, const Padded& other, const Runtime& runtime, double* sums,
                double* figures) {
    const Stripes stripes(x.rows, 4);
    for_stripes(stripes.count(), x.count() * static_cast<double>(4 * own.width + 40), runtime,
                [&] { return std::vector<double>(own.width); }, [&](std::size_t s, std::vector<double>& total) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            const double* a = own.row(static_cast<std::int64_t>(i));
            double logs = 0, apart = 0, all = 0;
            std::fill(total.begin(), total.end(), 0.0);
            for (std::int64_t at = x.starts[i]; at < x.starts[i + 1]; ++at) {
                const double* b = other.row(x.columns[at]);
                const double value = x.values[at], expected = dot(a, b, own.width);
                all += expected;
                if (value == 0) {
                    apart += expected;
                    continue;
                }
                const double sure = std::max(expected, kLeast);
                logs += value * std::log(sure);
                apart += value * std::log(value / sure) - value + expected;
                if (!(expected > 0)) continue;
                const Vec ratio = broadcast(value / expected);
                for (std::size_t c = 0; c < own.width; c += kLanes)
                    store(total.data() + c, load(total.data() + c) + ratio * load(b + c));
            }
            std::copy_n(total.data(), own.k, sums + i * own.k);
            figures[3 * i] = logs, figures[3 * i + 1] = apart, figures[3 * i + 2] = all;
        }
    });
}

const Register registered([](nb::module_& m) {
    m.def("mix_rows", [](Full<double> topics, Codes starts, Codes columns, Input values, Optional<Input> prior,
                         Optional<Input> less, std::size_t most, double tolerance, int threads, Output shares) {
        const std::size_t k = topics.shape(1);
        expect_csr(values, columns, starts);
        const std::size_t n = starts.size() - 1;
        expect_below("columns", columns, topics.shape(0), 0, threads);
        expect("prior", prior, k);
        expect("less", less, n * k);
        expect("shares", shares, n * k);
        const Cells x{starts.data(), columns.data(), values.data(), n};
        const Padded B(topics.data(), topics.shape(0), k);
        const double *α = pointer(prior), *D = pointer(less);
        double* w = shares.data();
        call(threads, [&](const Runtime& r) { mix_rows(x, B, α, D, most, tolerance, r, w); });
    }, nb::arg("topics"), nb::arg("starts"), nb::arg("columns"), nb::arg("values"), nb::arg("prior").none(),
       nb::arg("less").none(), nb::arg("most"), nb::arg("tolerance"), nb::arg("threads"), nb::arg("shares"));
    m.def("ratio_sums", [](Full<double> own, Full<double> other, Codes starts, Codes columns, Input values, int threads,
                           Output sums, Output figures) {
        const std::size_t n = own.shape(0), k = own.shape(1);
        expect_csr(values, columns, starts);
        expect("starts", starts, n + 1);
        expect_below("columns", columns, other.shape(0), 0, threads);
        expect("other", other, other.shape(0) * k);
        expect("sums", sums, n * k);
        expect("figures", figures, 3 * n);
        const Cells x{starts.data(), columns.data(), values.data(), n};
        const Padded A(own.data(), n, k), B(other.data(), other.shape(0), k);
        double *into = sums.data(), *three = figures.data();
        call(threads, [&](const Runtime& r) { ratio_sums(x, A, B, r, into, three); });
    }, nb::arg("own"), nb::arg("other"), nb::arg("starts"), nb::arg("columns"), nb::arg("values"), nb::arg("threads"),
       nb::arg("sums"), nb::arg("figures"));
});

}  // namespace
}  // namespace suffice
