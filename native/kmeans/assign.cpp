// Every row's nearest centre, with the sums of the rows of each centre where they are wanted.
#include <vector>

#include "core/binding.hpp"
#include "kmeans/nearest.hpp"

namespace suffice {
namespace {

struct Sums {
    std::vector<double> sum, weight, rows;
    double cost = 0;

    void clear() {
        std::fill(sum.begin(), sum.end(), 0.0);
        std::fill(weight.begin(), weight.end(), 0.0);
        cost = 0;
    }
};

// Labels (n) and squared distances (n) of the rows of x, each where it is not null. With `sum` (k, d) and `weight` (k)
// not null, the weighted rows of each centre, less the shift, are summed too, and with `squared` their `cost` (1). Without
// `squared`, a row without a finite distance (a cell is missing, infinite or too large) has the label -1.
template <Distance wanted, class C, class T>
void assign(const View<T>& x, const double* row_weight, const double* centres, const double* shift, std::size_t k,
            const Runtime& runtime, std::int32_t* labels, double* squared, double* sum, double* weight, double* cost) {
    using Scan = Scanner<C>;
    constexpr std::size_t kBlock = Scan::kBlock;
    const std::size_t d = x.cols;
    const Scan prototype(centres, shift, k, d);
    const Stripes stripes(x.rows, std::max<std::size_t>(least_rows(d, kBlock * 16), sum ? k * 4 : 0));
    struct Scratch {
        Scan scan;
        Sums sums;
    };
    auto make = [&] {
        Sums sums;
        sums.sum.resize(sum ? k * d : 0);
        sums.weight.resize(k);
        sums.rows.resize(scratch_cells(x, kBlock));
        return Scratch{prototype, std::move(sums)};
    };
    auto work = [&](std::size_t stripe, Scratch& s) {
        s.sums.clear();
        s.scan.restart();
        const double* rows[kBlock];
        Nearest found[kBlock];
        for (std::size_t first = stripes.begin(stripe); first < stripes.end(stripe); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(stripe) - first);
            const double* block = rows_as_double(x, first, count, s.sums.rows.data());
            for (std::size_t r = 0; r < count; ++r) rows[r] = block + r * d;
            s.scan.template scan<wanted>(rows, count, found);
            for (std::size_t r = 0; r < count; ++r) {
                if constexpr (wanted == Distance::none) {
                    if (labels) labels[first + r] = std::isfinite(found[r].squared) ? found[r].label : -1;
                } else {
                    labels[first + r] = found[r].label;
                    squared[first + r] = found[r].squared;
                }
                if (!sum) continue;
                const double w = row_weight ? row_weight[first + r] : 1.0;
                double* target = &s.sums.sum[static_cast<std::size_t>(found[r].label) * d];
                for (std::size_t i = 0; i < d; ++i) target[i] += w * (rows[r][i] - shift[i]);
                s.sums.weight[static_cast<std::size_t>(found[r].label)] += w;
                s.sums.cost += w * found[r].squared;
            }
        }
    };
    auto merge = [&](std::size_t, Scratch& s) {
        if (!sum) return;
        for (std::size_t i = 0; i < k * d; ++i) sum[i] += s.sums.sum[i];
        for (std::size_t j = 0; j < k; ++j) weight[j] += s.sums.weight[j];
        if (cost) *cost += s.sums.cost;
    };
    reduce_stripes(stripes.count(), static_cast<double>(x.rows * d) * static_cast<double>(k + 4), runtime, make, work,
                   merge);
}

template <class T>
void bind(nb::module_& m) {
    m.def("assign", [](Matrix<T> x, Optional<Input> weights, Full<double> centres, Input shift, int threads,
                       Optional<Result<std::int32_t>> labels, Optional<Output> squared, Optional<Output> sum, Optional<Output> weight,
                       Optional<Output> cost) {
        const std::size_t n = x.shape(0), d = x.shape(1), k = centres.shape(0);
        expect("weights", weights, n);
        expect("centres", centres, k * d);
        expect("shift", shift, d);
        expect("labels", labels, n);
        expect("squared", squared, n);
        expect("sum", sum, k * d);
        expect("weight", weight, k);
        expect("cost", cost, 1);
        const double* w = pointer(weights);
        std::int32_t* label_at = pointer(labels);
        double *squared_at = pointer(squared), *sum_at = pointer(sum), *weight_at = pointer(weight), *cost_at = pointer(cost);
        const bool in_double = !is_for_filter(centres.data(), shift.data(), k, d);
        auto* kernel = in_double ? &assign<Distance::exact, double, T> : &assign<Distance::exact, float, T>;
        if (!squared_at) kernel = in_double ? &assign<Distance::none, double, T> : &assign<Distance::none, float, T>;
        call(threads, [&](const Runtime& r) {
            kernel(view<T>(x), w, centres.data(), shift.data(), centres.shape(0), r, label_at, squared_at, sum_at,
                   weight_at, cost_at);
        });
    }, nb::arg("x"), nb::arg("weights").none(), nb::arg("centres"), nb::arg("shift"),
       nb::arg("threads"), nb::arg("labels").none(), nb::arg("squared").none(), nb::arg("sum").none(),
       nb::arg("weight").none(), nb::arg("cost").none());
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
