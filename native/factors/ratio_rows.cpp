// Counts as mixtures of topics: what each topic has of every cell, and the shares of topics in a row.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"
#include "core/vector_math.hpp"

namespace suffice {
namespace {

constexpr double kLeastExponent = -690.0;
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

// The cells of one row, and the rows of topics that belong to them.
struct Row {
    const double* values;
    std::size_t count;
    const double* const* topics;
};

// total = Σⱼ xⱼ / (a·bⱼ) bⱼ over the cells of a row, W whole vectors wide.
template <int W>
void sum_ratios(const Row& x, const double* own, std::size_t, double* total) {
    Vec a[W], sum[W] = {};
    for (int w = 0; w < W; ++w) a[w] = load(own + w * kLanes);
    for (std::size_t at = 0; at < x.count; ++at) {
        Vec b[W], product{};
        for (int w = 0; w < W; ++w) {
            b[w] = load(x.topics[at] + w * kLanes);
            product += a[w] * b[w];
        }
        const double expected = sum_lanes(product);
        if (!(expected > 0)) continue;
        const Vec ratio = broadcast(x.values[at] / expected);
        for (int w = 0; w < W; ++w) sum[w] += ratio * b[w];
    }
    for (int w = 0; w < W; ++w) store(total + w * kLanes, sum[w]);
}

// The same of any width.
template <>
void sum_ratios<0>(const Row& x, const double* own, std::size_t width, double* total) {
    std::fill_n(total, width, 0.0);
    for (std::size_t at = 0; at < x.count; ++at) {
        const double* b = x.topics[at];
        const double expected = dot(own, b, width);
        if (!(expected > 0)) continue;
        const Vec ratio = broadcast(x.values[at] / expected);
        for (std::size_t c = 0; c < width; c += kLanes) store(total + c, load(total + c) + ratio * load(b + c));
    }
}

using SumRatios = void (*)(const Row&, const double*, std::size_t, double*);

SumRatios sum_ratios_of(std::size_t width) {
    constexpr SumRatios known[] = {sum_ratios<0>, sum_ratios<1>, sum_ratios<2>, sum_ratios<3>, sum_ratios<4>,
                                   sum_ratios<5>, sum_ratios<6>, sum_ratios<7>, sum_ratios<8>};
    const std::size_t vectors = width / kLanes;
    return known[vectors < std::size(known) ? vectors : 0];
}

// exp ψ(x), the exponential of the logarithmic derivative of the gamma function, x > 0; 0 at 0. The asymptotic series
// at y = x + 6, where log y and exp cancel, less 1/x + … + 1/(x + 5), whose terms are paired: t = x (x + 5).
Vec exp_digamma(Vec x) {
    const Vec most = broadcast(1e15), near = x < most ? x : most, t = near * (near + 5.0);
    const Vec less = (2.0 * near + 5.0) * (3.0 * t * t + 20.0 * t + 24.0) / (t * (t * t + 10.0 * t + 24.0));
    const Vec y = x + 6.0, inverse = broadcast(1.0) / y, s = inverse * inverse;
    const Vec series =
        s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760 - s / 12.0))))));
    return y * exp_nonpositive(-(0.5 * inverse + series + less), kLeastExponent);
}

// One row as it is improved, padded with zeros to whole vectors.
struct Scratch {
    std::vector<double> shares, own, total, prior, less;
    std::vector<const double*> topics;

    Scratch(std::size_t k, std::size_t width, const double* given)
        : shares(width), own(width), total(width), prior(width), less(width) {
        if (given) std::copy_n(given, k, prior.data());
    }
};

// The rule of one sweep for all topics of a row, and whether it has changed by no more than `tolerance` of its sum.
template <class Now>
bool replace(Scratch& room, double tolerance, Now now) {
    Vec change{}, size{};
    for (std::size_t c = 0; c < room.shares.size(); c += kLanes) {
        const Vec after = now(c), before = load(room.shares.data() + c), step = after - before;
        change += step < 0.0 ? -step : step;
        size += after;
        store(room.shares.data() + c, after);
    }
    return sum_lanes(change) <= tolerance * sum_lanes(size);
}

// Sweeps over one row: w ← w ∘ total, divided by `less`, or with a prior w ← prior + e ∘ total, e = exp ψ(w).
void improve(const Row& x, SumRatios sum, bool has_prior, bool has_less, std::size_t most, double tolerance,
             Scratch& room) {
    const std::size_t width = room.shares.size();
    double *w = room.shares.data(), *own = room.own.data(), *total = room.total.data();
    const double *prior = room.prior.data(), *less = room.less.data();
    for (std::size_t sweep = 0; sweep < most; ++sweep) {
        for (std::size_t c = 0; c < width; c += kLanes) {
            const Vec now = load(w + c);
            store(own + c, has_prior ? exp_digamma(now) : now);
        }
        sum(x, own, width, total);
        const bool still = replace(room, tolerance, [&](std::size_t c) {
            const Vec now = load(own + c) * load(total + c);
            if (has_prior) return Vec(load(prior + c) + now);
            if (!has_less) return now;
            const Vec by = load(less + c);
            return Vec(by > 0.0 ? now / by : Vec{});
        });
        if (still) return;
    }
}

// The shares (n, k) of the topics in each row, improved where they are. `less` (n, k) is divided by without a prior.
void mix_rows(const Cells& x, const Padded& topics, const double* prior, const double* less, std::size_t most,
              double tolerance, const Runtime& runtime, double* shares) {
    const std::size_t k = topics.k;
    const Stripes stripes(x.rows, 4);
    const double work = x.count() * static_cast<double>(4 * topics.width * std::min<std::size_t>(most, 20));
    const SumRatios sum = sum_ratios_of(topics.width);
    for_stripes(stripes.count(), work, runtime, [&] { return Scratch(k, topics.width, prior); },
                [&](std::size_t s, Scratch& room) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            const std::int64_t begin = x.starts[i], end = x.starts[i + 1];
            room.topics.clear();
            for (std::int64_t at = begin; at < end; ++at) room.topics.push_back(topics.row(x.columns[at]));
            std::copy_n(shares + i * k, k, room.shares.data());
            if (less) std::copy_n(less + i * k, k, room.less.data());
            const Row row{x.values + begin, room.topics.size(), room.topics.data()};
            improve(row, sum, prior != nullptr, less != nullptr, most, tolerance, room);
            std::copy_n(room.shares.data(), k, shares + i * k);
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
