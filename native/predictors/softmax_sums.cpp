// Sums of the softmax loss over rows and of its gradient, and the probabilities of every row: one pass over the table.
//
// A block of rows stays in the second-level cache while it is read twice, once for the predictors of all classes and
// once for the gradient. Predictors and factors of a block lie class by class, so that vectors go over rows.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"
#include "core/vector_math.hpp"
#include "predictors/readable_rows.hpp"

namespace suffice {
namespace {

constexpr int kClasses = 5;                    // classes of a tile, at most
constexpr int kRows = kLanes == 8 ? 4 : 2;     // rows of a tile of predictors: what the registers hold
constexpr int kColumns = kLanes == 8 ? 4 : 2;  // vectors of columns of a tile of the gradient
constexpr std::size_t kMost = 128;             // rows of a block
constexpr double kLeastExponent = -690.0;

struct Task {
    std::size_t d, width, k, block;
    std::vector<double> slope;  // (k, width)
    const double *intercept, *weight;
    const std::int64_t* code;

    static std::size_t block_rows(std::size_t width) {
        return std::clamp<std::size_t>(32768 / width / 8 * 8, 16, kMost);
    }
};

struct Scratch {
    std::vector<double> rows, eta, gradient, offset;  // eta (k, block): predictors, then weighted gradients
    double weight = 0, value = 0;

    explicit Scratch(const Task& t)
        : rows(t.block * t.width), eta(t.k * t.block), gradient(t.k * t.width), offset(t.k) {}

    void clear() {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        std::fill(offset.begin(), offset.end(), 0.0);
        weight = value = 0;
    }
};

// Calls body<C>(first) for tiles of at most kClasses classes, about equal.
template <class Body>
void for_classes(std::size_t k, Body body) {
    const std::size_t tiles = (k + kClasses - 1) / kClasses;
    for (std::size_t t = 0, c = 0; t < tiles; ++t) {
        const std::size_t size = (k - c + tiles - t - 1) / (tiles - t);
        if (size == 1) body.template operator()<1>(c);
        else if (size == 2) body.template operator()<2>(c);
        else if (size == 3) body.template operator()<3>(c);
        else if (size == 4) body.template operator()<4>(c);
        else body.template operator()<kClasses>(c);
        c += size;
    }
}

template <int R, int C>
void predict_tile(const Rows& rows, std::size_t i, std::size_t c, const Task& t, double* eta) {
    Vec sum[R][C] = {};
    const double *row = rows.data + i * rows.stride, *slope = t.slope.data() + c * t.width;
    for (std::size_t j = 0; j < t.width; j += kLanes) {
        Vec right[C];
        for (int e = 0; e < C; ++e) right[e] = load(slope + e * t.width + j);
        for (int r = 0; r < R; ++r) {
            const Vec left = load(row + r * rows.stride + j);
            for (int e = 0; e < C; ++e) sum[r][e] += left * right[e];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int e = 0; e < C; ++e) eta[(c + e) * t.block + i + r] = sum_lanes(sum[r][e]) + t.intercept[c + e];
}

void predict(const Rows& rows, std::size_t count, const Task& t, double* eta) {
    for_classes(t.k, [&]<int C>(std::size_t c) {
        std::size_t i = 0;
        for (; i + kRows <= count; i += kRows) predict_tile<kRows, C>(rows, i, c, t, eta);
        for (; i < count; ++i) predict_tile<1, C>(rows, i, c, t, eta);
    });
}

// Turns predictors into weighted gradients, and adds up the rest; rows beyond `count` weigh nothing.
void weigh(Scratch& s, const Task& t, std::size_t first, std::size_t count, double* share) {
    double own[kMost] = {}, weight[kMost] = {};
    double* eta = s.eta.data();
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t code = t.code[first + i];
        if (code < 0 || static_cast<std::size_t>(code) >= t.k) throw std::out_of_range("a code of no class");
        own[i] = eta[static_cast<std::size_t>(code) * t.block + i];
        weight[i] = t.weight ? t.weight[first + i] : 1.0;
    }
    const std::size_t padded = round_up(count, kLanes);
    for (std::size_t c = 0; c < t.k; ++c) std::fill(eta + c * t.block + count, eta + c * t.block + padded, 0.0);
    Vec value{}, all{};
    for (std::size_t i = 0; i < padded; i += kLanes) {
        Vec top = load(eta + i), bad{}, total{};
        for (std::size_t c = 0; c < t.k; ++c) {
            const Vec here = load(eta + c * t.block + i);
            top = here > top ? here : top;
            bad += here - here;  // no number where a predictor is not finite
        }
        for (std::size_t c = 0; c < t.k; ++c) {
            const Vec e = exp_nonpositive(load(eta + c * t.block + i) - top, kLeastExponent);
            total += e;
            store(eta + c * t.block + i, e);
        }
        const Vec w = load(weight + i), scale = broadcast(1.0) / total + bad;
        value += w * (log_normal(total) + (top - load(own + i)) + bad);
        all += w;
        for (std::size_t c = 0; c < t.k; ++c) store(eta + c * t.block + i, load(eta + c * t.block + i) * scale);
    }
    s.value += sum_lanes(value);
    s.weight += sum_lanes(all);
    if (share)
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t c = 0; c < t.k; ++c) share[(first + i) * t.k + c] = eta[c * t.block + i];
    for (std::size_t i = 0; i < count; ++i) eta[static_cast<std::size_t>(t.code[first + i]) * t.block + i] -= 1.0;
    for (std::size_t c = 0; c < t.k; ++c) {
        Vec sum{};
        for (std::size_t i = 0; i < padded; i += kLanes) {
            const Vec factor = load(eta + c * t.block + i) * load(weight + i);
            sum += factor;
            store(eta + c * t.block + i, factor);
        }
        s.offset[c] += sum_lanes(sum);
    }
}

// gradient (k, width) += Σ factor · row.
void add_rows(const Rows& rows, std::size_t count, const Task& t, Scratch& s) {
    for_classes(t.k, [&]<int C>(std::size_t c) {
        auto tile = [&]<int V>(std::size_t j) {
            Vec sum[C][V] = {};
            const double* factor = s.eta.data() + c * t.block;
            for (std::size_t i = 0; i < count; ++i) {
                Vec row[V];
                for (int v = 0; v < V; ++v) row[v] = load(rows.data + i * rows.stride + j + v * kLanes);
                for (int e = 0; e < C; ++e) {
                    const Vec own = broadcast(factor[e * t.block + i]);
                    for (int v = 0; v < V; ++v) sum[e][v] += own * row[v];
                }
            }
            for (int e = 0; e < C; ++e)
                for (int v = 0; v < V; ++v) {
                    double* out = s.gradient.data() + (c + e) * t.width + j + v * kLanes;
                    store(out, load(out) + sum[e][v]);
                }
        };
        std::size_t j = 0;
        for (; j + kColumns * kLanes <= t.width; j += kColumns * kLanes) tile.template operator()<kColumns>(j);
        for (; j < t.width; j += kLanes) tile.template operator()<1>(j);
    });
}

// totals = Σ w, Σ w ℓ; offset (k) = Σ w g; gradient (k, d) = Σ w g x; share (n, k), where it is not null: the p.
template <class T>
void softmax_sums(const View<T>& x, const Task& t, const Runtime& runtime, double* totals, double* offset,
                  double* gradient, double* share) {
    const Stripes stripes(x.rows, t.block * 4);
    auto work = [&](std::size_t stripe, Scratch& s) {
        s.clear();
        for (std::size_t first = stripes.begin(stripe); first < stripes.end(stripe); first += t.block) {
            const std::size_t count = std::min(t.block, stripes.end(stripe) - first);
            const Rows rows = readable(x, first, count, t.width, s.rows);
            predict(rows, count, t, s.eta.data());
            weigh(s, t, first, count, share);
            add_rows(rows, count, t, s);
        }
    };
    auto merge = [&](std::size_t, Scratch& s) {
        totals[0] += s.weight;
        totals[1] += s.value;
        for (std::size_t c = 0; c < t.k; ++c) {
            offset[c] += s.offset[c];
            for (std::size_t j = 0; j < t.d; ++j) gradient[c * t.d + j] += s.gradient[c * t.width + j];
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(t.k * (2 * t.width + 60));
    reduce_stripes(stripes.count(), operations, runtime, [&] { return Scratch(t); }, work, merge);
}

template <class T>
void bind(nb::module_& m) {
    m.def("softmax_sums", [](Matrix<T> x, Input slope, Input intercept, Codes codes, Optional<Input> weights, int threads,
                             Output totals, Output offset, Output gradient, Optional<Output> share) {
        const std::size_t n = x.shape(0), d = x.shape(1), k = intercept.size(), width = round_up(d, kLanes);
        if (k == 0) throw nb::value_error("there are no classes");
        expect("slope", slope, k * d);
        expect("codes", codes, n);
        expect("weights", weights, n);
        expect("totals", totals, 2);
        expect("offset", offset, k);
        expect("gradient", gradient, k * d);
        expect("share", share, n * k);
        expect_below("codes", codes, k, 0, threads);
        Task task{d, width, k, Task::block_rows(std::max<std::size_t>(width, 1)), std::vector<double>(k * width),
                  intercept.data(), pointer(weights), codes.data()};
        for (std::size_t c = 0; c < k; ++c)
            std::copy(slope.data() + c * d, slope.data() + (c + 1) * d, task.slope.begin() + static_cast<std::ptrdiff_t>(c * width));
        double* shares = pointer(share);
        call(threads, [&](const Runtime& r) {
            softmax_sums<T>(view<T>(x), task, r, totals.data(), offset.data(), gradient.data(), shares);
        });
    }, nb::arg("x"), nb::arg("slope"), nb::arg("intercept"), nb::arg("codes"), nb::arg("weights").none(),
       nb::arg("threads"), nb::arg("totals"), nb::arg("offset"), nb::arg("gradient"), nb::arg("share").none());
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
