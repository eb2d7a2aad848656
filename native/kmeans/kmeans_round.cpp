// One round of k-means: the assignment, which leaves alone the rows whose centre cannot have changed (Hamerly, 2010),
// and the update, from the sums alone.
//
// Every row keeps an upper bound of the distance to its centre and a lower bound of that to all others. The bounds
// move with the centres; while the upper one is below the lower one, or below half the way from its centre to the next,
// the row is not even read. All other rows are scanned against all centres. Only rows that change their centre enter
// the sums (about the shift), as differences.
#include <cmath>
#include <limits>
#include <vector>

#include "core/binding.hpp"
#include "kmeans/nearest.hpp"

namespace suffice {
namespace {

constexpr double kSlack = 1e-9;  // rounding of the bounds, far above what it can be

struct Centres {
    const double *at, *shift, *drift;  // (k, d), (d), (k)
    std::size_t count;
    // By the label of a row plus one, as -1 stands for none: how far its centre moved, how far any other did at most, and
    // half the distance from its centre to the nearest other, or a little less.
    std::vector<double> own{}, others{}, half_gap{};

    // How far the centres lie apart tells more than it costs only where they are far fewer than the rows.
    void prepare(std::size_t rows, std::size_t d, const Runtime& runtime) {
        see_drifts();
        half_gap.assign(count + 1, 0.0);
        if (count * 16 > rows) return;
        const Stripes stripes(count, 1);
        for_stripes(
            stripes.count(), static_cast<double>(count * count * d), runtime, [] { return 0; },
            [&](std::size_t s, int&) {
                for (std::size_t j = stripes.begin(s); j < stripes.end(s); ++j) half_gap[j + 1] = half_gap_of(j, d);
            });
    }

  private:
    void see_drifts() {
        own.assign(count + 1, std::numeric_limits<double>::infinity());  // a row without a label is never settled
        std::copy_n(drift, count, own.begin() + 1);
        const auto fastest = static_cast<std::size_t>(std::max_element(drift, drift + count) - drift);
        double second = 0;
        for (std::size_t j = 0; j < count; ++j)
            if (j != fastest) second = std::max(second, drift[j]);
        others.assign(count + 1, count ? drift[fastest] : 0.0);
        if (count) others[fastest + 1] = second;
    }

    double half_gap_of(std::size_t j, std::size_t d) const {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t other = 0; other < count; ++other)
            if (other != j) least = std::min(least, squared_distance(at + j * d, at + other * d, d));
        return 0.5 * std::sqrt(least) * (1 - kSlack);
    }
};

struct Bounds {
    std::int32_t* label;
    double *upper, *lower;
};

struct Changes {
    std::vector<double> sum, weight, rows;
    std::int64_t changed = 0, scanned = 0;

    void clear() {
        std::fill(sum.begin(), sum.end(), 0.0);
        std::fill(weight.begin(), weight.end(), 0.0);
        changed = scanned = 0;
    }

    void add(std::int32_t label, const double* row, const double* shift, std::size_t d, double w) {
        double* target = &sum[static_cast<std::size_t>(label) * d];
        for (std::size_t i = 0; i < d; ++i) target[i] += w * (row[i] - shift[i]);
        weight[static_cast<std::size_t>(label)] += w;
    }
};

template <class C, class T>
class Round {
    using Scan = Scanner<C>;
    static constexpr std::size_t kBlock = Scan::kBlock;

  public:
    struct Scratch {
        Scan scan;
        Changes changes;
    };

    Round(const View<T>& x, const double* row_weight, const Centres& centres, const Bounds& bounds)
        : x_(x), row_weight_(row_weight), centres_(centres), bounds_(bounds),
          prototype_(centres.at, centres.shift, centres.count, x.cols) {}

    Scratch make() const {
        Changes changes;
        changes.sum.resize(centres_.count * x_.cols);
        changes.weight.resize(centres_.count);
        changes.rows.resize(scratch_cells(x_, kBlock));
        return {prototype_, std::move(changes)};
    }

    void work(std::size_t begin, std::size_t end, Scratch& s) const {
        s.changes.clear();
        s.scan.restart();
        std::size_t open[kSpan + kBlock], count = 0;
        for (std::size_t first = begin; first < end; first += kSpan) {
            count += find_open(first, std::min(kSpan, end - first), open + count);
            std::size_t done = 0;
            for (; done + kBlock <= count; done += kBlock) scan(open + done, kBlock, s);
            std::copy(open + done, open + count, open);
            count -= done;
        }
        if (count) scan(open, count, s);
    }

  private:
    static constexpr std::size_t kSpan = 256;  // rows whose bounds are moved at once

    // Moves the bounds of some rows; puts down those that they no longer settle, and returns how many these are.
    std::size_t find_open(std::size_t first, std::size_t rows, std::size_t* open) const {
        const std::int32_t* __restrict label = bounds_.label + first;
        double *__restrict upper = bounds_.upper + first, *__restrict lower = bounds_.lower + first;
        const double *own = &centres_.own[1], *others = &centres_.others[1], *half_gap = &centres_.half_gap[1];
        std::uint8_t is_open[kSpan];
        for (std::size_t i = 0; i < rows; ++i) {
            const std::int32_t a = label[i];
            upper[i] += own[a];
            lower[i] -= others[a];
            const double limit = lower[i] > half_gap[a] ? lower[i] : half_gap[a];
            is_open[i] = !(upper[i] * (1 + kSlack) < limit);
        }
        std::size_t count = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            open[count] = first + i;
            count += is_open[i];  // no branch: it could not be foretold
        }
        return count;
    }

    void scan(const std::size_t* open, std::size_t count, Scratch& s) const {
        const std::size_t d = x_.cols;
        const double* rows[kBlock];
        Nearest found[kBlock];
        for (std::size_t r = 0; r < count; ++r)
            rows[r] = rows_as_double(x_, open[r], 1, s.changes.rows.data() + (s.changes.rows.empty() ? 0 : r * d));
        s.scan.template scan<Distance::bound>(rows, count, found);
        s.changes.scanned += static_cast<std::int64_t>(count);
        for (std::size_t r = 0; r < count; ++r) {
            const std::size_t i = open[r];
            bounds_.upper[i] = std::sqrt(found[r].squared);
            bounds_.lower[i] = std::sqrt(found[r].second_squared) * (1 - kSlack);
            const std::int32_t before = bounds_.label[i], now = found[r].label;
            if (before == now) continue;
            const double w = row_weight_ ? row_weight_[i] : 1.0;
            if (before >= 0) s.changes.add(before, rows[r], centres_.shift, d, -w);
            s.changes.add(now, rows[r], centres_.shift, d, w);
            bounds_.label[i] = now;
            ++s.changes.changed;
        }
    }

    View<T> x_;
    const double* row_weight_;
    Centres centres_;
    Bounds bounds_;
    Scan prototype_;
};

// What the rounds add up: the sums (k, d) of the rows of each centre about the shift, and their weights (k).
struct Totals {
    double *sum, *weight;
};

struct Figures {
    std::int64_t changed = 0, scanned = 0;
    std::size_t empty = 0;                       // centres without rows
    double before = 0, after = 0, squared = 0;   // the cost at the centres, at their means, and Σ drift²
};

// `expected` rows will be scanned, as far as known: how much work there is.
template <class C, class T>
Figures assign(const View<T>& x, const double* row_weight, const Centres& centres, const Bounds& bounds,
               std::size_t expected, const Runtime& runtime, const Totals& totals) {
    const std::size_t k = centres.count, d = x.cols;
    const Round<C, T> round(x, row_weight, centres, bounds);
    const Stripes stripes(x.rows, std::max<std::size_t>(least_rows(d, 1024), k * 4));
    const double operations = 40.0 * static_cast<double>(x.rows) + static_cast<double>(expected * k * d);
    Figures figures;
    auto merge = [&](std::size_t, typename Round<C, T>::Scratch& s) {
        figures.changed += s.changes.changed;
        figures.scanned += s.changes.scanned;
        if (s.changes.changed == 0) return;
        for (std::size_t i = 0; i < k * d; ++i) totals.sum[i] += s.changes.sum[i];
        for (std::size_t j = 0; j < k; ++j) totals.weight[j] += s.changes.weight[j];
    };
    reduce_stripes(
        stripes.count(), operations, runtime, [&] { return round.make(); },
        [&](std::size_t s, auto& scratch) { round.work(stripes.begin(s), stripes.end(s), scratch); }, merge);
    return figures;
}

// Weights that rounding left behind when all rows of a centre went.
void clear_rounding(double* weight, std::size_t k) {
    double all = 0;
    for (std::size_t j = 0; j < k; ++j) all += weight[j];
    for (std::size_t j = 0; j < k; ++j)
        if (std::abs(weight[j]) < 1e-12 * all) weight[j] = 0;
}

// moved (k, d): the means; a centre without rows stays. drift (k): how far each goes. `total` is Σ w ‖x − shift‖².
void update(const Totals& totals, const Centres& centres, double total, std::size_t d, double* moved, double* drift,
            Figures& figures) {
    double before = total, after = total;
    for (std::size_t j = 0; j < centres.count; ++j) {
        const double weight = totals.weight[j];
        double squared = 0;
        for (std::size_t i = 0; i < d; ++i) {
            const double at = centres.at[j * d + i], sum = totals.sum[j * d + i], old = at - centres.shift[i];
            const double mean = weight > 0 ? sum / weight : old;
            before += old * (weight * old - 2 * sum);
            after += mean * (weight * mean - 2 * sum);
            moved[j * d + i] = weight > 0 ? centres.shift[i] + mean : at;
            squared += (moved[j * d + i] - at) * (moved[j * d + i] - at);
        }
        drift[j] = std::sqrt(squared);
        figures.squared += squared;
        figures.empty += weight == 0;
    }
    figures.before = std::max(before, 0.0);
    figures.after = std::max(after, 0.0);
}

nb::tuple as_tuple(const Figures& f) {
    return nb::make_tuple(f.changed, f.scanned, f.empty, f.before, f.after, f.squared);
}

template <class T>
void bind(nb::module_& m) {
    m.def("kmeans_round", [](Matrix<T> x, Optional<Input> weights, Full<double> at, Input shift, Input drift, double total,
                             std::size_t expected, int threads, Result<std::int32_t> label, Output upper, Output lower,
                             Output sum, Output weight, Output moved, Output new_drift) {
        const std::size_t n = x.shape(0), k = at.shape(0), d = x.shape(1);
        expect("weights", weights, n);
        expect("centres", at, k * d);
        expect("shift", shift, d);
        expect("drift", drift, k);
        expect("label", label, n);
        expect("upper", upper, n);
        expect("lower", lower, n);
        expect("sum", sum, k * d);
        expect("weight", weight, k);
        expect("moved", moved, k * d);
        expect("new_drift", new_drift, k);
        const double* w = pointer(weights);
        Centres centres{at.data(), shift.data(), drift.data(), k};
        const Bounds bounds{label.data(), upper.data(), lower.data()};
        const Totals totals{sum.data(), weight.data()};
        auto* kernel = is_for_filter(at.data(), shift.data(), k, d) ? &assign<float, T> : &assign<double, T>;
        return as_tuple(call(threads, [&](const Runtime& r) {
            centres.prepare(x.shape(0), d, r);
            Figures figures = kernel(view<T>(x), w, centres, bounds, expected, r, totals);
            clear_rounding(totals.weight, k);
            update(totals, centres, total, d, moved.data(), new_drift.data(), figures);
            return figures;
        }));
    }, nb::arg("x"), nb::arg("weights").none(), nb::arg("centres"), nb::arg("shift"), nb::arg("drift"),
       nb::arg("total"), nb::arg("expected"), nb::arg("threads"), nb::arg("label"), nb::arg("upper"),
       nb::arg("lower"), nb::arg("sum"), nb::arg("weight"), nb::arg("moved"), nb::arg("new_drift"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
    m.def("kmeans_update", [](Output sum, Output weight, Full<double> at, Input shift, double total, Output moved,
                              Output drift) {
        const std::size_t k = at.shape(0), d = at.shape(1);
        expect("sum", sum, k * d);
        expect("weight", weight, k);
        expect("shift", shift, d);
        expect("moved", moved, k * d);
        expect("drift", drift, k);
        const Centres centres{at.data(), shift.data(), nullptr, k};
        Figures figures;
        clear_rounding(weight.data(), at.shape(0));
        update({sum.data(), weight.data()}, centres, total, at.shape(1), moved.data(), drift.data(), figures);
        return as_tuple(figures);
    }, nb::arg("sum"), nb::arg("weight"), nb::arg("centres"), nb::arg("shift"), nb::arg("total"), nb::arg("moved"),
       nb::arg("drift"));
});

}  // namespace
}  // namespace suffice
