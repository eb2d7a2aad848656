// Stochastic gradient descent: one pass over rows in a given order, a batch of them an update.
//
// Slopes are w = scale · v, so that the decay of an L2 penalty is one multiplication. The sum of all slopes so far is
// S v − A with S the sum of scales: where v changes by δ, A grows by S δ, and an average costs no more than the cells of
// a row (Xu, 2011). Predictors of several classes do not meet: each is worked on by one thread.
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

    // y holds what the loss takes, or, with `code`, codes of which this one stands for the sign 1.
    void run(const std::int64_t* order, std::size_t count, const double* y, const double* weight, const double* code) {
        std::int64_t t = rule_.t;
        for (std::size_t first = 0; first < count; first += rule_.batch) {
            const std::size_t size = std::min(rule_.batch, count - first);
            for (std::size_t l = 0; l < size; ++l) {
                const std::size_t at = first + l;
                if (at + kAhead < count) fetch(static_cast<std::size_t>(order[at + kAhead]), y, weight);
                const std::size_t i = static_cast<std::size_t>(order[at]);
                const double eta = scale_ * x_.dot(i, own_.slope) + *own_.intercept;
                const double target = !code ? y[i] : y[i] == *code ? 1.0 : -1.0;
                const LossAt found = loss_at(rule_.loss, eta, target, rule_.parameter);
                const double s = weight ? weight[i] : 1.0;
                *own_.loss += s * found.value;
                *own_.hits += found.slope != 0;
                pull_[l] = s * found.slope / static_cast<double>(size);
            }
            update(order + first, size, ++t);
        }
        if (rule_.l1 > 0)
            for (std::size_t j = 0; j < x_.cols; ++j) draw(j);
        flush();
        for (std::size_t j = 0; j < before_.size(); ++j) own_.slope_sum[j] -= before_[j];
        for (std::size_t j = 0; scale_ != 1 && j < x_.cols; ++j) own_.slope[j] *= scale_;
    }

    double owed() const { return owed_; }

  private:
    void fetch(std::size_t i, const double* y, const double* weight) const {
        x_.fetch(i);
        __builtin_prefetch(y + i);
        if (weight) __builtin_prefetch(weight + i);
    }

    void update(const std::int64_t* rows, std::size_t size, std::int64_t t) {
        const double rate = rule_.rate(t);
        if (rule_.l2 > 0) {
            scale_ *= std::max(0.0, 1 - rate * rule_.l2);
            if (scale_ < kSmall) fold();
        }
        for (std::size_t l = 0; l < size; ++l) {
            if (pull_[l] == 0) continue;
            const std::size_t i = static_cast<std::size_t>(rows[l]);
            const double by = -rate * pull_[l] / scale_;
            x_.add(i, by, own_.slope);
            if (scales_ != 0) x_.add(i, by * scales_, before_.data());
            if (rule_.intercept) *own_.intercept -= rate * pull_[l];
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
    double scale_ = 1, owed_;
    double scales_ = 0;           // S
    std::vector<double> pull_;    // of the rows of a batch
    std::vector<double> before_;  // A (d), where slopes are summed
};

template <class Rows>
double epoch(const Rows& x, const double* y, const double* weight, const std::int64_t* order, std::size_t count,
             const Rule& rule, double owed, std::size_t k, const Runtime& runtime, const Predictor& all) {
    double end = owed;
    auto work = [&](std::size_t c, int&) {
        const Predictor own{all.slope + c * x.cols, all.slope_sum + c * x.cols, all.paid + c * x.cols,
                            all.intercept + c, all.intercept_sum + c, all.loss + c, all.hits + c};
        Descent<Rows> descent(x, rule, owed, own);
        const double code = static_cast<double>(c);
        descent.run(order, count, y, weight, k == 1 ? nullptr : &code);
        if (c == 0) end = descent.owed();
    };
    const double share = x.rows ? static_cast<double>(count) / static_cast<double>(x.rows) : 0;
    for_stripes(k, x.cells() * share * 4 * static_cast<double>(k), runtime, [] { return 0; }, work);
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
    const double *targets = y.data(), *weights = pointer(weight);
    double* debt = owed.data();
    call(threads, [&](const Runtime& r) {
        for (std::size_t e = 0; e < epochs; ++e, places += count) {
            if (!in_place) go_on(all, k, x.cols);
            debt[states == 1 ? 0 : e + 1] = epoch(x, targets, weights, places, count, rule, debt[e], k, r, all);
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
