// Sums of a loss over rows, of its gradient, and the curvature of every row: one pass over the table.
//
// A block of rows stays in the first-level cache while it is read twice, once for the predictors and once for the
// gradient.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"
#include "predictors/readable_rows.hpp"
#include "predictors/row_losses.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 128;
constexpr int kTile = 4;  // vectors of columns whose sums stay in registers

struct Targets {
    const double *y, *weight;
};

struct Scratch {
    std::vector<double> rows, eta, factor, gradient;
    double weight = 0, value = 0, offset = 0;

    explicit Scratch(std::size_t width) : rows(kBlock * width), eta(kBlock), factor(kBlock), gradient(width) {}

    void clear() {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        weight = value = offset = 0;
    }
};

void predict(const Rows& rows, std::size_t count, const double* slope, std::size_t width, double intercept,
             double* eta) {
    for (std::size_t i = 0; i < count; ++i) {
        const double* row = rows.data + i * rows.stride;
        Vec even{}, odd{};
        std::size_t j = 0;
        for (; j + 2 * kLanes <= width; j += 2 * kLanes) {
            even += load(row + j) * load(slope + j);
            odd += load(row + j + kLanes) * load(slope + j + kLanes);
        }
        if (j < width) even += load(row + j) * load(slope + j);
        eta[i] = sum_lanes(Vec(even + odd)) + intercept;
    }
}

// gradient += Σ factor · row, of even and of odd rows: an addition need not wait for the one before.
void add_rows(const Rows& rows, std::size_t count, const double* factor, std::size_t width, double* gradient) {
    auto tile = [&]<int V>(std::size_t j) {
        Vec even[V] = {}, odd[V] = {};
        auto add = [&](std::size_t i, Vec* sum) {
            const Vec own = broadcast(factor[i]);
            for (int v = 0; v < V; ++v) sum[v] += own * load(rows.data + i * rows.stride + j + v * kLanes);
        };
        std::size_t i = 0;
        for (; i + 2 <= count; i += 2) {
            add(i, even);
            add(i + 1, odd);
        }
        if (i < count) add(i, even);
        for (int v = 0; v < V; ++v)
            store(gradient + j + v * kLanes, load(gradient + j + v * kLanes) + (even[v] + odd[v]));
    };
    std::size_t j = 0;
    for (; j + kTile * kLanes <= width; j += kTile * kLanes) tile.template operator()<kTile>(j);
    const std::size_t left = (width - j) / kLanes;
    if (left == 3) tile.template operator()<3>(j);
    else if (left == 2) tile.template operator()<2>(j);
    else if (left == 1) tile.template operator()<1>(j);
}

// Turns predictors into weighted gradients, and adds up the rest; rows beyond `count` weigh nothing.
template <class Loss>
void weigh(const Loss& loss, Scratch& s, std::size_t first, std::size_t count, const Targets& targets,
           double* curvature) {
    double y[kBlock] = {}, weight[kBlock] = {}, bent[kBlock];
    std::memcpy(y, targets.y + first, count * sizeof(double));
    for (std::size_t i = 0; i < count; ++i) weight[i] = targets.weight ? targets.weight[first + i] : 1.0;
    std::fill(s.eta.begin() + static_cast<std::ptrdiff_t>(count), s.eta.end(), 0.0);
    Vec value{}, offset{}, total{};
    for (std::size_t i = 0; i < count; i += kLanes) {
        const LossParts parts = loss.parts(load(&s.eta[i]), load(y + i));
        const Vec w = load(weight + i), own = w * parts.gradient;
        value += w * parts.value;
        offset += own;
        total += w;
        store(&s.factor[i], own);
        store(bent + i, parts.curvature);
    }
    s.value += sum_lanes(value);
    s.offset += sum_lanes(offset);
    s.weight += sum_lanes(total);
    if (curvature) std::memcpy(curvature + first, bent, count * sizeof(double));
}

// totals = Σ w, Σ w ℓ, Σ w g; gradient (d) = Σ w g x; curvature (n), where it is not null, h of each row.
template <class T, class Loss>
void loss_sums(const Loss& loss, const View<T>& x, const double* slopes, double intercept, const Targets& targets,
               const Runtime& runtime, double* totals, double* gradient, double* curvature) {
    const std::size_t d = x.cols, width = round_up(d, kLanes);
    std::vector<double> slope(width);
    std::copy(slopes, slopes + d, slope.begin());  // also none
    const Stripes stripes(x.rows, kBlock * 4);
    auto work = [&](std::size_t k, Scratch& s) {
        s.clear();
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(k) - first);
            const Rows rows = readable(x, first, count, width, s.rows);
            predict(rows, count, slope.data(), width, intercept, s.eta.data());
            weigh(loss, s, first, count, targets, curvature);
            add_rows(rows, count, s.factor.data(), width, s.gradient.data());
        }
    };
    auto merge = [&](std::size_t, Scratch& s) {
        totals[0] += s.weight;
        totals[1] += s.value;
        totals[2] += s.offset;
        for (std::size_t j = 0; j < d; ++j) gradient[j] += s.gradient[j];
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(2 * width + 60);
    reduce_stripes(stripes.count(), operations, runtime, [&] { return Scratch(width); }, work, merge);
}

template <class T>
void bind(nb::module_& m) {
    m.def("loss_sums", [](Matrix<T> x, Vector<double> slope, double intercept, Vector<double> y, Optional<Input> weights,
                          int kind, Vector<double> numbers, int threads, Output totals, Output gradient,
                          Optional<Output> curvature) {
        expect("numbers", numbers, 2);
        expect("slope", slope, x.shape(1));
        expect("y", y, x.shape(0));
        expect("weights", weights, x.shape(0));
        expect("totals", totals, 3);
        expect("gradient", gradient, x.shape(1));
        expect("curvature", curvature, x.shape(0));
        const Targets targets{y.data(), pointer(weights)};
        double* bent = pointer(curvature);
        call(threads, [&](const Runtime& r) {
            with_loss(kind, numbers.data(), [&](const auto& loss) {
                loss_sums(loss, view<T>(x), slope.data(), intercept, targets, r, totals.data(), gradient.data(), bent);
            });
        });
    }, nb::arg("x"), nb::arg("slope"), nb::arg("intercept"), nb::arg("y"), nb::arg("weights").none(), nb::arg("kind"),
       nb::arg("numbers"), nb::arg("threads"), nb::arg("totals"), nb::arg("gradient"), nb::arg("curvature").none());
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
