// One round of k-means that leaves alone the rows whose centre cannot have changed (Hamerly, 2010).
//
// Every row keeps an upper bound of the distance to its centre and a lower bound of that to all others. The bounds
// move with the centres; while the upper one is below the lower one, or below half the way from its centre to the next,
// the row is not even read. All other rows are scanned against all centres. Only rows that change their centre enter
// the sums (about the shift), as differences.
#include <cmath>
#include <vector>

#include "binding.hpp"
#include "nearest.hpp"

namespace suffice {
namespace {

constexpr double kSlack = 1e-9;  // rounding of the bounds, far above what it can be

struct Centres {
    const double *at, *shift, *drift, *half_gap;  // (k, d), (d), (k), (k)
    std::size_t count;
    double farthest, second_farthest;  // the largest drifts
    std::size_t fastest;               // whose drift is the largest
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
        changes.rows.resize(kBlock * x_.cols);
        return {prototype_, std::move(changes)};
    }

    void work(std::size_t begin, std::size_t end, Scratch& s) const {
        s.changes.clear();
        std::size_t open[kBlock], count = 0;
        for (std::size_t i = begin; i < end; ++i) {
            if (is_settled(i)) continue;
            open[count++] = i;
            if (count == kBlock) {
                scan(open, count, s);
                count = 0;
            }
        }
        if (count) scan(open, count, s);
    }

  private:
    // Moves the bounds of row i; whether they still tell its centre apart from all others.
    bool is_settled(std::size_t i) const {
        const std::int32_t label = bounds_.label[i];
        if (label < 0) return false;
        const auto a = static_cast<std::size_t>(label);
        const double upper = bounds_.upper[i] + centres_.drift[a];
        const double lower = bounds_.lower[i] - (a == centres_.fastest ? centres_.second_farthest : centres_.farthest);
        bounds_.upper[i] = upper;
        bounds_.lower[i] = lower;
        return upper * (1 + kSlack) < std::max(lower, centres_.half_gap[a]);
    }

    void scan(const std::size_t* open, std::size_t count, Scratch& s) const {
        const std::size_t d = x_.cols;
        const double* rows[kBlock];
        Nearest found[kBlock];
        for (std::size_t r = 0; r < count; ++r)
            rows[r] = rows_as_double(x_, open[r], 1, &s.changes.rows[r * d]);
        s.scan.scan(rows, count, found);
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

template <class C, class T>
void kmeans_round(const View<T>& x, const double* row_weight, const Centres& centres, const Bounds& bounds,
                  const Runtime& runtime, double* sum, double* weight, std::int64_t* counts) {
    const std::size_t k = centres.count, d = x.cols;
    const Round<C, T> round(x, row_weight, centres, bounds);
    const Stripes stripes(x.rows, std::max<std::size_t>(1024, k * 4));
    auto merge = [&](std::size_t, typename Round<C, T>::Scratch& s) {
        counts[0] += s.changes.changed;
        counts[1] += s.changes.scanned;
        if (s.changes.changed == 0) return;
        for (std::size_t i = 0; i < k * d; ++i) sum[i] += s.changes.sum[i];
        for (std::size_t j = 0; j < k; ++j) weight[j] += s.changes.weight[j];
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows) * 40, runtime, [&] { return round.make(); },
        [&](std::size_t s, auto& scratch) { round.work(stripes.begin(s), stripes.end(s), scratch); }, merge);
}

Centres with_farthest(const double* at, const double* shift, const double* drift, const double* half_gap,
                      std::size_t k) {
    Centres c{at, shift, drift, half_gap, k, 0, 0, k};
    for (std::size_t j = 0; j < k; ++j) {
        if (drift[j] > c.farthest) {
            c.second_farthest = c.farthest;
            c.farthest = drift[j];
            c.fastest = j;
        } else {
            c.second_farthest = std::max(c.second_farthest, drift[j]);
        }
    }
    return c;
}

template <class T>
void bind(nb::module_& m) {
    m.def("kmeans_round", [](Matrix<T> x, nb::object weights, Input centres, Input shift, Input drift, Input half_gap,
                             int threads, Result<std::int32_t> label, Output upper, Output lower, Output sum,
                             Output weight, Result<std::int64_t> counts) {
        const double* w = pointer(weights);
        const Centres c = with_farthest(centres.data(), shift.data(), drift.data(), half_gap.data(), centres.shape(0));
        const Bounds bounds{label.data(), upper.data(), lower.data()};
        auto* kernel = x.shape(1) < kFewColumns ? &kmeans_round<double, T> : &kmeans_round<float, T>;
        call(threads, [&](const Runtime& r) {
            kernel(view<T>(x), w, c, bounds, r, sum.data(), weight.data(), counts.data());
        });
    }, nb::arg("x").noconvert(), nb::arg("weights").none(), nb::arg("centres"), nb::arg("shift"), nb::arg("drift"),
       nb::arg("half_gap"), nb::arg("threads"), nb::arg("label").noconvert(), nb::arg("upper"), nb::arg("lower"),
       nb::arg("sum"), nb::arg("weight"), nb::arg("counts").noconvert());
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
