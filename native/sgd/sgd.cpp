// Stochastic gradient descent: one pass over rows in a given order, a batch of them an update.
//
// Slopes are w = scale · v, so that the decay of an L2 penalty is one multiplication. The sum of all slopes so far is
// S v − A with S the sum of scales: where v changes by δ, A grows by S δ, and an average costs no more than the cells of
// a row (Xu, 2011). Predictors of several classes do not meet: a thread takes some of them row by row, so that none waits
// for its own last update.
#include <vector>

#include "sgd/bind_rows.hpp"
#include "sgd/row_losses.hpp"

namespace suffice {
namespace {

constexpr std::size_t kAhead = 8;  // rows fetched before their turn
constexpr double kSmall = 1e-6;    // a smaller scale is multiplied into the slopes

struct Rule {
    double scale, shift, power, l2, l1, parameter;
    int loss;
    std::size_t batch;
    bool intercept;
    std::int64_t average_from, t;

    double rate(std::int64_t t) const {
        if (power == 0) return scale;
        const double at = shift + static_cast<double>(t);
        if (power == 1) return scale / at;
        return scale / (power == 0.5 ? std::sqrt(at) : power == 0.25 ? std::sqrt(std::sqrt(at)) : std::pow(at, power));
    }
};

struct Predictor {
    double *slope, *slope_sum, *paid;  // (d)
    double *intercept, *intercept_sum, *loss, *hits;
};

template <class Rows>
class Descent {
  public:
    Descent(const Rows& x, const Rule& rule, double owed, const Predictor& own)
        : x_(x), rule_(rule), own_(own), owed_(owed), pull_(rule.batch),
          before_(rule.average_from ? x.cols : 0) {}

    // One row of a batch, which is its l-th: its loss there, and how it pulls.
    void look(std::size_t i, std::size_t l, double target, double weight) {
        const double eta = scale_ * x_.dot(i, own_.slope) + *own_.intercept;
        const LossAt found = loss_at(rule_.loss, eta, target, rule_.parameter);
        loss_ += weight * found.value;
        hits_ += found.slope != 0;
        pull_[l] = weight * found.slope;
    }

    void update(const std::int64_t* rows, std::size_t size, std::int64_t t, double rate) {
        if (rule_.l2 > 0) {
            scale_ *= std::max(0.0, 1 - rate * rule_.l2);
            if (scale_ < kSmall) fold();
        }
        const double each = size == 1 ? rate : rate / static_cast<double>(size), step = each / scale_;
        for (std::size_t l = 0; l < size; ++l) {
            if (pull_[l] == 0 && !x_.is_short()) continue;
            const std::size_t i = static_cast<std::size_t>(rows[l]);
            const double by = -step * pull_[l];
            x_.add(i, by, own_.slope);
            if (scales_ != 0) x_.add(i, by * scales_, before_.data());
            if (rule_.intercept) *own_.intercept -= each * pull_[l];
        }
        if (rule_.l1 > 0) {
            owed_ += rate * rule_.l1;
            for (std::size_t l = 0; l < size; ++l)
                x_.each(static_cast<std::size_t>(rows[l]), [&](std::size_t j) { draw(j); });
        }
        if (rule_.average_from && t >= rule_.average_from) {
            scales_ += scale_;
            *own_.intercept_sum += *own_.intercept;
        }
    }

    void finish() {
        *own_.loss += loss_;
        *own_.hits += hits_;
        if (rule_.l1 > 0)
            for (std::size_t j = 0; j < x_.cols; ++j) draw(j);
        flush();
        for (std::size_t j = 0; j < before_.size(); ++j) own_.slope_sum[j] -= before_[j];
        for (std::size_t j = 0; scale_ != 1 && j < x_.cols; ++j) own_.slope[j] *= scale_;
    }

    double owed() const { return owed_; }

  private:
    // A slope drawn to 0 by what it has not paid yet; a second time in the same update changes nothing.
    void draw(std::size_t j) {
        const double w = scale_ * own_.slope[j];
        double after = 0;
        if (w > 0) after = std::max(0.0, w - (owed_ + own_.paid[j]));
        else if (w < 0) after = std::min(0.0, w + (owed_ - own_.paid[j]));
        if (after == w) return;
        own_.paid[j] += after - w;
        const double v = after / scale_;
        if (scales_ != 0) before_[j] += (v - own_.slope[j]) * scales_;
        own_.slope[j] = v;
    }

    // Takes the sums of scales times v over, so that S begins at 0.
    void flush() {
        if (scales_ == 0) return;
        for (std::size_t j = 0; j < x_.cols; ++j) before_[j] -= scales_ * own_.slope[j];
        scales_ = 0;
    }

    void fold() {
        flush();
        for (std::size_t j = 0; j < x_.cols; ++j) own_.slope[j] *= scale_;
        scale_ = 1;
    }

    const Rows& x_;
    const Rule& rule_;
    const Predictor& own_;
    double scale_ = 1, owed_, loss_ = 0, hits_ = 0;
    double scales_ = 0;           // S
    std::vector<double> pull_;    // of the rows of a batch
    std::vector<double> before_;  // A (d), where slopes are summed
};

struct Targets {
    const double *y, *weight;
    bool codes;  // of classes, each of which stands for the sign 1 of its own predictor

    double sign(std::size_t i, std::size_t c) const {
        return !codes ? y[i] : y[i] == static_cast<double>(c) ? 1.0 : -1.0;
    }
};

// All rows in their order, for the predictors from `first` on.
template <class Rows>
void descend(const Rows& x, const Targets& targets, const std::int64_t* order, std::size_t count, const Rule& rule,
             std::size_t first, std::vector<Descent<Rows>>& some) {
    std::int64_t t = rule.t;
    for (std::size_t begin = 0; begin < count; begin += rule.batch) {
        const std::size_t size = std::min(rule.batch, count - begin);
        for (std::size_t l = 0; l < size; ++l) {
            const std::size_t at = begin + l, i = static_cast<std::size_t>(order[at]);
            if (at + kAhead < count) {
                const std::size_t next = static_cast<std::size_t>(order[at + kAhead]);
                x.fetch(next);
                __builtin_prefetch(targets.y + next);
                if (targets.weight) __builtin_prefetch(targets.weight + next);
            }
            const double weight = targets.weight ? targets.weight[i] : 1.0;
            for (std::size_t c = 0; c < some.size(); ++c) some[c].look(i, l, targets.sign(i, first + c), weight);
        }
        const double rate = rule.rate(++t);
        for (auto& one : some) one.update(order + begin, size, t, rate);
    }
    for (auto& one : some) one.finish();
}

template <class Rows>
double epoch(const Rows& x, const Targets& targets, const std::int64_t* order, std::size_t count, const Rule& rule,
             double owed, std::size_t k, const Runtime& runtime, const Predictor& all) {
    double end = owed;
    const double share = x.rows ? static_cast<double>(count) / static_cast<double>(x.rows) : 0;
    const double operations = x.cells() * share * 4 * static_cast<double>(k);
    const std::size_t groups = static_cast<std::size_t>(useful_threads(runtime, k, operations));
    auto work = [&](std::size_t g, int&) {
        const std::size_t first = k * g / groups, last = k * (g + 1) / groups;
        std::vector<Predictor> own;
        std::vector<Descent<Rows>> some;
        own.reserve(last - first);
        some.reserve(last - first);
        for (std::size_t c = first; c < last; ++c) {
            own.push_back({all.slope + c * x.cols, all.slope_sum + c * x.cols, all.paid + c * x.cols,
                           all.intercept + c, all.intercept_sum + c, all.loss + c, all.hits + c});
            some.emplace_back(x, rule, owed, own.back());
        }
        descend(x, targets, order, count, rule, first, some);
        if (g == 0 && k) end = some[0].owed();
    };
    for_stripes(groups, operations, runtime, [] { return 0; }, work);
    return end;
}

// Copies a state to the place after it, without losses and hits, and goes there.
void go_on(Predictor& all, std::size_t k, std::size_t d) {
    for (double** slopes : {&all.slope, &all.slope_sum, &all.paid}) {
        std::copy_n(*slopes, k * d, *slopes + k * d);
        *slopes += k * d;
    }
    for (double** levels : {&all.intercept, &all.intercept_sum}) {
        std::copy_n(*levels, k, *levels + k);
        *levels += k;
    }
    for (double** sums : {&all.loss, &all.hits}) {
        *sums += k;
        std::fill_n(*sums, k, 0.0);
    }
}

// What all bindings check and pass on: one epoch in place, where whole[5] is 0, or so many of them. Their arrays hold one
// state after the other, the first before any epoch; losses and hits are those of each epoch.
template <class Rows>
void checked(const Rows& x, const Vector<double>& y, const Optional<Input>& weight, const Codes& order,
               const Vector<double>& numbers, const Codes& whole, int threads, const Output& slope,
               const Output& intercept, const Output& slope_sum, const Output& intercept_sum, const Output& paid,
               const Output& loss, const Output& hits, const Output& owed) {
    expect("whole", whole, 6);
    const std::int64_t *w = whole.data(), *places = order.data();
    if (w[5] < 0) throw nb::value_error("fewer than no epochs");
    const bool in_place = w[5] == 0;
    const std::size_t epochs = in_place ? 1 : static_cast<std::size_t>(w[5]), states = epochs + !in_place;
    if (order.size() % epochs) throw nb::value_error("orders of unequal length");
    const std::size_t k = intercept.size() / states;
    expect("intercept", intercept, k * states);
    expect("y", y, x.rows);
    expect("weight", weight, x.rows);
    expect("numbers", numbers, 6);
    expect("owed", owed, states);
    for (const Output* array : {&slope, &slope_sum, &paid}) expect("slopes", *array, states * k * x.cols);
    for (const Output* array : {&intercept_sum, &loss, &hits}) expect("intercepts", *array, states * k);
    const double* n = numbers.data();
    if (w[0] < 0 || w[0] >= kRowLosses || w[1] < 1) throw nb::value_error("no such loss, or an empty batch");
    expect_below("order", order, x.rows, 0, threads);
    const std::size_t count = order.size() / epochs;
    const std::size_t batch = std::min(static_cast<std::size_t>(w[1]), std::max<std::size_t>(1, count));
    Rule rule{n[0], n[1], n[2], n[3], n[4], n[5], static_cast<int>(w[0]), batch, w[2] != 0, w[3], w[4]};
    Predictor all{slope.data(), slope_sum.data(), paid.data(), intercept.data(),
                  intercept_sum.data(), loss.data(), hits.data()};
    const Targets targets{y.data(), pointer(weight), k > 1};
    double* debt = owed.data();
    call(threads, [&](const Runtime& r) {
        for (std::size_t e = 0; e < epochs; ++e, places += count) {
            if (!in_place) go_on(all, k, x.cols);
            debt[states == 1 ? 0 : e + 1] = epoch(x, targets, places, count, rule, debt[e], k, r, all);
            rule.t += static_cast<std::int64_t>((count + batch - 1) / batch);
        }
    });
}

const Register registered([](nb::module_& m) {
    bind_rows(m, "sgd_epoch", &checked<DenseRows<double>>, [](const auto&... all) { return checked(all...); },
              nb::arg("y"), nb::arg("weight").none(), nb::arg("order"), nb::arg("numbers"), nb::arg("whole"),
              nb::arg("threads"), nb::arg("slope"), nb::arg("intercept"), nb::arg("slope_sum"),
              nb::arg("intercept_sum"), nb::arg("paid"), nb::arg("loss"), nb::arg("hits"), nb::arg("owed"));
});

}  // namespace
}  // namespace suffice
