// Newton's method for few rows of several classes, which have a predictor each.
#include "core/binding.hpp"
#include "core/vector_math.hpp"
#include "predictors/few_rows.hpp"

namespace suffice {
namespace {

// The mean of t · log Σ_c exp((η_c + m [c ≠ y]) / t) − η_y, with a penalty ½ Σ λ w². Parameters are (p + 1, k), the
// intercepts last. A change of all classes alike changes nothing but the penalty: where there is none, it is held at 0.
class Classes {
  public:
    Classes(const FewRows& rows, std::size_t k, double margin, double temperature, const double* penalty, bool intercept)
        : rows_(rows), k_(k), margin_(margin), temperature_(temperature), penalty_(penalty), intercept_(intercept),
          own_(k * rows.stride), share_(k * rows.stride), pull_(rows.stride), factor_(rows.stride),
          ones_(rows.stride, 1.0), system_((rows.p + 1) * k * (rows.p + 1) * k), right_((rows.p + 1) * k) {
        for (std::size_t c = 0; c < k; ++c)
            for (std::size_t i = 0; i < rows.stride; ++i) own_[c * rows.stride + i] = rows.y[i] == static_cast<double>(c);
    }

    void evaluate(Place& at) {
        const std::size_t p = rows_.p, stride = rows_.stride;
        predict(at);
        Vec value{};
        for (std::size_t i = 0; i < stride; i += kLanes) value += load(&rows_.weight[i]) * shares(i);
        double cost = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            for (std::size_t i = 0; i < stride; i += kLanes)
                store(&pull_[i], load(&rows_.weight[i]) * (load(&share_[c * stride + i]) - load(&own_[c * stride + i])));
            for (std::size_t j = 0; j < p; ++j) {
                const double slope = at.theta[j * k_ + c];
                cost += 0.5 * penalty_[j] * slope * slope;
                at.gradient[j * k_ + c] = rows_.along(pull_.data(), j) / rows_.total + penalty_[j] * slope;
            }
            at.gradient[p * k_ + c] = intercept_ ? rows_.sum(pull_.data()) / rows_.total : 0.0;
        }
        at.value = sum_lanes(value) / rows_.total + cost;
    }

    bool change(const Place& at, std::vector<double>& step) {
        const std::size_t size = at.theta.size();
        std::fill(system_.begin(), system_.end(), 0.0);
        for (std::size_t c = 0; c < k_; ++c)
            for (std::size_t e = 0; e <= c; ++e) add_products(c, e);
        for (std::size_t j = 0; j <= rows_.p; ++j) hold(j);
        right_ = at.gradient;
        if (!solve_in_place(system_, size, right_)) return false;
        for (std::size_t i = 0; i < size; ++i) step[i] = -right_[i];
        return true;
    }

  private:
    const double* column(std::size_t j) const { return j < rows_.p ? rows_.column(j) : ones_.data(); }

    double& at(std::size_t j, std::size_t c, std::size_t l, std::size_t e) {
        return system_[(j * k_ + c) * (rows_.p + 1) * k_ + l * k_ + e];
    }

    // The predictors, in the place of the shares.
    void predict(const Place& at) {
        const std::size_t p = rows_.p, stride = rows_.stride;
        for (std::size_t c = 0; c < k_; ++c) {
            double* eta = share_.data() + c * stride;
            std::fill_n(eta, stride, at.theta[p * k_ + c]);
            for (std::size_t j = 0; j < p; ++j) {
                const Vec slope = broadcast(at.theta[j * k_ + c]);
                for (std::size_t i = 0; i < stride; i += kLanes)
                    store(eta + i, load(eta + i) + slope * load(rows_.column(j) + i));
            }
        }
    }

    // Turns the predictors of some rows into the shares of the classes; the losses of the rows.
    Vec shares(std::size_t i) {
        const std::size_t stride = rows_.stride;
        Vec most = broadcast(-HUGE_VAL), own{}, sum{};
        for (std::size_t c = 0; c < k_; ++c) {
            const Vec eta = load(&share_[c * stride + i]), is_own = load(&own_[c * stride + i]);
            own += is_own * eta;
            const Vec above = eta + margin_ * (1.0 - is_own);
            store(&share_[c * stride + i], above);
            most = above > most ? above : most;
        }
        for (std::size_t c = 0; c < k_; ++c) {
            const Vec e = exp_nonpositive((load(&share_[c * stride + i]) - most) / temperature_, -690.0);
            store(&share_[c * stride + i], e);
            sum += e;
        }
        for (std::size_t c = 0; c < k_; ++c) store(&share_[c * stride + i], load(&share_[c * stride + i]) / sum);
        return most + temperature_ * log_normal(sum) - own;
    }

    // The Hessian of the slopes of two classes.
    void add_products(std::size_t c, std::size_t e) {
        const std::size_t p = rows_.p, stride = rows_.stride;
        const Vec one = broadcast(c == e ? 1.0 : 0.0);
        for (std::size_t i = 0; i < stride; i += kLanes)
            store(&pull_[i], load(&rows_.weight[i]) * load(&share_[c * stride + i]) *
                                 (one - load(&share_[e * stride + i])) / (temperature_ * rows_.total));
        for (std::size_t j = 0; j <= p; ++j) {
            for (std::size_t i = 0; i < stride; i += kLanes) store(&factor_[i], load(&pull_[i]) * load(column(j) + i));
            for (std::size_t l = 0; l <= j; ++l) {
                const double found = rows_.dot(factor_.data(), column(l));
                at(j, c, l, e) = at(j, e, l, c) = found;
            }
        }
        for (std::size_t j = 0; c == e && j < p; ++j) at(j, c, j, c) += penalty_[j];
    }

    void hold(std::size_t j) {
        const bool intercept = j == rows_.p;
        double size = 0;
        for (std::size_t c = 0; c < k_; ++c) size += at(j, c, j, c) / static_cast<double>(k_);
        if (intercept && !intercept_) {
            for (std::size_t c = 0; c < k_; ++c) {
                for (std::size_t b = 0; b < (rows_.p + 1) * k_; ++b) system_[(j * k_ + c) * (rows_.p + 1) * k_ + b] = 0;
                at(j, c, j, c) = 1;
            }
        } else if (intercept || !(penalty_[j] > 0)) {
            for (std::size_t c = 0; c < k_; ++c)
                for (std::size_t e = 0; e < k_; ++e) at(j, c, j, e) += size;
        }
    }

    const FewRows& rows_;
    std::size_t k_;
    double margin_, temperature_;
    const double* penalty_;
    bool intercept_;
    std::vector<double> own_, share_, pull_, factor_, ones_, system_, right_;
};

// The intercepts of the rows as they came, of those of rows about their mean, or the other way round.
void shift_intercepts(const FewRows& rows, std::size_t k, double sign, double* theta) {
    for (std::size_t j = 0; j < rows.p; ++j)
        for (std::size_t c = 0; c < k; ++c) theta[rows.p * k + c] += sign * rows.mean[j] * theta[j * k + c];
}

template <class T>
void bind(nb::module_& m) {
    m.def("softmax_steps", [](Matrix<T> x, Vector<double> y, Optional<Input> weights, std::size_t k,
                              Vector<double> numbers, Vector<double> penalty, bool intercept, std::int64_t most,
                              int threads, Output theta, Output history) {
        const std::size_t p = x.shape(1);
        expect("y", y, x.shape(0));
        expect("weights", weights, x.shape(0));
        expect("numbers", numbers, 5);
        expect("penalty", penalty, p);
        if (k == 0 || k > theta.size()) throw nb::value_error("there must be a class, and a parameter of each");
        expect("theta", theta, (p + 1) * k);
        if (most < 1) throw nb::value_error("there must be a step at least");
        expect("history", history, static_cast<std::size_t>(most) * 2);
        const double *weight = pointer(weights), *v = numbers.data();
        NewtonResult result{kSingular, 0, 0.0};
        call(threads, [&](const Runtime& r) {
            const FewRows rows(view<T>(x), y.data(), weight, intercept);
            if (!(rows.total > 0)) return;
            Place at((p + 1) * k);
            std::copy_n(theta.data(), (p + 1) * k, at.theta.data());
            shift_intercepts(rows, k, 1.0, at.theta.data());
            Classes model(rows, k, v[0], v[1], penalty.data(), intercept);
            result = newton_steps(model, at, {v[2], v[3], v[4], most}, r, history.data());
            shift_intercepts(rows, k, -1.0, at.theta.data());
            std::copy(at.theta.begin(), at.theta.end(), theta.data());
        });
        return nb::make_tuple(result.status, result.steps, result.first);
    }, nb::arg("x"), nb::arg("y"), nb::arg("weights").none(), nb::arg("k"), nb::arg("numbers"), nb::arg("penalty"),
       nb::arg("intercept"), nb::arg("most"), nb::arg("threads"), nb::arg("theta"), nb::arg("history"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
