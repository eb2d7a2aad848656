// Newton's method for few rows: all its iterations in one call.
#include "core/binding.hpp"
#include "predictors/few_rows.hpp"
#include "predictors/row_losses.hpp"

namespace suffice {
namespace {

// The mean loss of one predictor a row, with a penalty ½ Σ λ w². Its last parameter is the intercept.
template <class Loss>
class OnePredictor {
  public:
    OnePredictor(const FewRows& rows, const Loss& loss, const double* penalty, bool intercept)
        : rows_(rows), loss_(loss), penalty_(penalty), intercept_(intercept), eta_(rows.stride), factor_(rows.stride),
          bent_(rows.stride), shifted_(rows.p * rows.stride), mean_(rows.p), system_(rows.p * rows.p), right_(rows.p) {}

    void evaluate(Place& at) {
        const std::size_t p = rows_.p;
        std::fill(eta_.begin(), eta_.end(), at.theta[p]);
        for (std::size_t j = 0; j < p; ++j) {
            const Vec slope = broadcast(at.theta[j]);
            for (std::size_t i = 0; i < rows_.stride; i += kLanes)
                store(&eta_[i], load(&eta_[i]) + slope * load(rows_.column(j) + i));
        }
        Vec value{}, offset{};
        for (std::size_t i = 0; i < rows_.stride; i += kLanes) {
            const LossParts parts = loss_.parts(load(&eta_[i]), load(&rows_.y[i]));
            const Vec weight = load(&rows_.weight[i]), own = weight * parts.gradient;
            value += weight > 0.0 ? weight * parts.value : Vec{};
            offset += own;
            store(&factor_[i], own);
            store(&bent_[i], weight * parts.curvature);
        }
        double cost = 0;
        for (std::size_t j = 0; j < p; ++j) {
            cost += 0.5 * penalty_[j] * at.theta[j] * at.theta[j];
            at.gradient[j] = rows_.along(factor_.data(), j) / rows_.total + penalty_[j] * at.theta[j];
        }
        at.gradient[p] = intercept_ ? sum_lanes(offset) / rows_.total : 0.0;
        at.value = sum_lanes(value) / rows_.total + cost;
    }

    // Newton's step from the place that was evaluated last, about the mean of the rows by their curvature.
    bool change(const Place& at, std::vector<double>& step) {
        const std::size_t p = rows_.p, stride = rows_.stride;
        const double level = rows_.sum(bent_.data());
        if (intercept_ && !(level > 0) && at.gradient[p] != 0) return false;
        const double* columns = rows_.cells.data();
        std::fill(mean_.begin(), mean_.end(), 0.0);
        if (intercept_ && level > 0) {
            for (std::size_t j = 0; j < p; ++j) {
                mean_[j] = rows_.along(bent_.data(), j) / level;
                for (std::size_t i = 0; i < stride; i += kLanes)
                    store(&shifted_[j * stride + i], load(rows_.column(j) + i) - mean_[j]);
            }
            columns = shifted_.data();
        }
        for (std::size_t j = 0; j < p; ++j) {
            for (std::size_t i = 0; i < stride; i += kLanes)
                store(&factor_[i], load(&bent_[i]) * load(columns + j * stride + i));
            for (std::size_t l = j; l < p; ++l)
                system_[l * p + j] = rows_.dot(factor_.data(), columns + l * stride) / rows_.total;
            system_[j * p + j] += penalty_[j];
            right_[j] = at.gradient[j] - mean_[j] * at.gradient[p];
        }
        if (!solve_in_place(system_, p, right_)) return false;
        step[p] = intercept_ && level > 0 ? -at.gradient[p] * rows_.total / level : 0.0;
        for (std::size_t j = 0; j < p; ++j) {
            step[j] = -right_[j];
            step[p] += mean_[j] * right_[j];
        }
        return true;
    }

  private:
    const FewRows& rows_;
    Loss loss_;
    const double* penalty_;
    bool intercept_;
    std::vector<double> eta_, factor_, bent_, shifted_, mean_, system_, right_;
};

// The intercept of the rows as they came, of that of rows about their mean, or the other way round.
double shifted_intercept(const FewRows& rows, const double* slope, double intercept, double sign) {
    for (std::size_t j = 0; j < rows.p; ++j) intercept += sign * rows.mean[j] * slope[j];
    return intercept;
}

template <class T>
void bind(nb::module_& m) {
    m.def("newton_steps", [](Matrix<T> x, Vector<double> y, Optional<Input> weights, int kind, Vector<double> numbers,
                             Vector<double> penalty, bool intercept, Vector<double> limits, std::int64_t most,
                             int threads, Output theta, Output history) {
        const std::size_t p = x.shape(1);
        expect("y", y, x.shape(0));
        expect("weights", weights, x.shape(0));
        expect("numbers", numbers, 2);
        expect("penalty", penalty, p);
        expect("limits", limits, 3);
        expect("theta", theta, p + 1);
        if (most < 1) throw nb::value_error("there must be a step at least");
        expect("history", history, static_cast<std::size_t>(most) * 2);
        const double* weight = pointer(weights);
        const double* v = limits.data();
        NewtonResult result{};
        call(threads, [&](const Runtime& r) {
            const FewRows rows(view<T>(x), y.data(), weight, intercept);
            if (!(rows.total > 0)) {
                result = {kSingular, 0};
                return;
            }
            Place at(p + 1);
            std::copy(theta.data(), theta.data() + p + 1, at.theta.begin());
            at.theta[p] = shifted_intercept(rows, at.theta.data(), at.theta[p], 1.0);
            with_loss(kind, numbers.data(), [&](const auto& loss) {
                OnePredictor model(rows, loss, penalty.data(), intercept);
                result = newton_steps(model, at, {v[0], v[1], v[2], most}, r, history.data());
            });
            std::copy(at.theta.begin(), at.theta.end(), theta.data());
            theta.data()[p] = shifted_intercept(rows, at.theta.data(), at.theta[p], -1.0);
        });
        return nb::make_tuple(result.status, result.steps);
    }, nb::arg("x"), nb::arg("y"), nb::arg("weights").none(), nb::arg("kind"), nb::arg("numbers"), nb::arg("penalty"),
       nb::arg("intercept"), nb::arg("limits"), nb::arg("most"), nb::arg("threads"), nb::arg("theta"),
       nb::arg("history"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
