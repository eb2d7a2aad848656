// New points of a map, each put where its own stress is least: Newton's method, and a majorising step where that fails.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr double kLast = 1e-12;  // a step of Newton's that lowers the stress by less than this part of it is the last

struct Known {
    const double* points;  // (m, k)
    const double* mass;    // (m)
    std::size_t m, k;
};

// Stress of a place, with its slope and curvature there, and the step of majorisation.
struct Look {
    double stress;
    std::vector<double> slope, curve, major;  // (k), (k, k), (k)

    explicit Look(std::size_t k) : stress(0), slope(k), curve(k * k), major(k) {}
};

class Row {
  public:
    explicit Row(const Known& known) : known_(known), now_(known.k), next_(known.k), apart_(known.k), step_(known.k) {}

    // target and weight (m); `place` (k) is where it begins and where it ends. Returns the stress.
    double place(const double* target, const double* weight, std::size_t most, double tolerance, double* place) {
        target_ = target, weight_ = weight;
        look(place, now_);
        for (std::size_t round = 0; round < most; ++round) {
            const bool is_curved = newton();
            if (is_curved && is_last()) {  // rounding hides what the stress would fall by
                for (std::size_t c = 0; c < known_.k; ++c) place[c] += step_[c];
                break;
            }
            bool better = is_curved && try_step(place);
            if (!better) {
                step_ = now_.major;
                better = try_step(place);
            }
            if (!better) break;
            double length = 0, size = 0;
            for (std::size_t c = 0; c < known_.k; ++c) {
                length += step_[c] * step_[c], size = std::max(size, std::abs(place[c] + step_[c]));
                place[c] += step_[c];
            }
            std::swap(now_, next_);
            if (std::sqrt(length) <= tolerance * size) break;
        }
        return now_.stress;
    }

  private:
    void look(const double* x, Look& found) {
        const std::size_t k = known_.k;
        found.stress = 0;
        std::fill(found.slope.begin(), found.slope.end(), 0.0);
        std::fill(found.curve.begin(), found.curve.end(), 0.0);
        double total = 0;
        for (std::size_t j = 0; j < known_.m; ++j) {
            const double w = (weight_ ? weight_[j] : 1.0) * known_.mass[j];
            if (!(w > 0)) continue;
            double squared = 0;
            for (std::size_t c = 0; c < k; ++c) {
                apart_[c] = x[c] - known_.points[j * k + c];
                squared += apart_[c] * apart_[c];
            }
            const double distance = std::sqrt(squared), rest = distance - target_[j];
            found.stress += w * rest * rest;
            total += w;
            const double pull = squared > 0 ? w * (1 - target_[j] / distance) : 0.0;
            const double turn = squared > 0 ? w * target_[j] / (distance * squared) : 0.0;
            for (std::size_t c = 0; c < k; ++c) {
                found.slope[c] += squared > 0 ? pull * apart_[c] : 0.0;
                found.curve[c * k + c] += pull;
                for (std::size_t e = 0; e <= c; ++e) found.curve[c * k + e] += turn * apart_[c] * apart_[e];
            }
        }
        for (std::size_t c = 0; c < k; ++c) found.major[c] = total > 0 ? -found.slope[c] / total : 0.0;
    }

    // step = −curve⁻¹ slope by Cholesky; false where the curvature is not positive.
    bool newton() {
        const std::size_t k = known_.k;
        root_ = now_.curve;
        for (std::size_t c = 0; c < k; ++c) {
            double own = root_[c * k + c];
            const double whole = own;
            for (std::size_t e = 0; e < c; ++e) own -= root_[c * k + e] * root_[c * k + e];
            if (!(own > 1e-10 * std::abs(whole))) return false;
            root_[c * k + c] = std::sqrt(own);
            for (std::size_t r = c + 1; r < k; ++r) {
                double cell = root_[r * k + c];
                for (std::size_t e = 0; e < c; ++e) cell -= root_[r * k + e] * root_[c * k + e];
                root_[r * k + c] = cell / root_[c * k + c];
            }
        }
        for (std::size_t c = 0; c < k; ++c) {
            double cell = -now_.slope[c];
            for (std::size_t e = 0; e < c; ++e) cell -= root_[c * k + e] * step_[e];
            step_[c] = cell / root_[c * k + c];
        }
        for (std::size_t c = k; c-- > 0;) {
            for (std::size_t e = c + 1; e < k; ++e) step_[c] -= root_[e * k + c] * step_[e];
            step_[c] /= root_[c * k + c];
        }
        return true;
    }

    bool is_last() const {
        double fall = 0;
        for (std::size_t c = 0; c < known_.k; ++c) fall -= now_.slope[c] * step_[c];
        return fall <= kLast * now_.stress;
    }

    bool try_step(const double* place) {
        tried_.assign(place, place + known_.k);
        for (std::size_t c = 0; c < known_.k; ++c) tried_[c] += step_[c];
        look(tried_.data(), next_);
        return next_.stress < now_.stress;
    }

    const Known& known_;
    const double *target_ = nullptr, *weight_ = nullptr;
    Look now_, next_;
    std::vector<double> apart_, step_, root_, tried_;
};

struct Asked {
    const double *target, *weight;  // (q, m)
    std::size_t q, starts, most;
    double tolerance;
};

// places (q, starts, k): where each search begins; the best end of each row goes to its first place.
void search(const Known& known, const Asked& asked, const Runtime& runtime, double* places, double* stress) {
    const std::size_t m = known.m, k = known.k;
    const Stripes stripes(asked.q, 1);
    const double work = static_cast<double>(asked.q * asked.starts) * static_cast<double>(m * k) * 60.0;
    for_stripes(stripes.count(), work, runtime, [&] { return Row(known); }, [&](std::size_t s, Row& row) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            double* own = places + i * asked.starts * k;
            const double* weight = asked.weight ? asked.weight + i * m : nullptr;
            stress[i] = std::numeric_limits<double>::infinity();
            for (std::size_t start = 0; start < asked.starts; ++start) {
                double* at = own + start * k;
                const double found = row.place(asked.target + i * m, weight, asked.most, asked.tolerance, at);
                if (found < stress[i] * (1 - 1e-9)) {
                    stress[i] = found;
                    std::copy_n(at, k, own);
                }
            }
        }
    });
}

const Register registered([](nb::module_& m) {
    m.def("placed", [](Full<double> points, Input mass, Full<double> target, Optional<Input> weight, std::size_t starts,
                       std::size_t most, double tolerance, int threads, Output places, Output stress) {
        const std::size_t n = points.shape(0), k = points.shape(1), q = target.shape(0);
        expect("mass", mass, n);
        expect("target", target, q * n);
        expect("weight", weight, q * n);
        expect("places", places, q * starts * k);
        expect("stress", stress, q);
        const Known known{points.data(), mass.data(), n, k};
        const Asked asked{target.data(), pointer(weight), q, starts, most, tolerance};
        double *into = places.data(), *figures = stress.data();
        call(threads, [&](const Runtime& r) { search(known, asked, r, into, figures); });
    }, nb::arg("points"), nb::arg("mass"), nb::arg("target"), nb::arg("weight").none(), nb::arg("starts"), nb::arg("most"),
       nb::arg("tolerance"), nb::arg("threads"), nb::arg("places"), nb::arg("stress"));
});

}  // namespace
}  // namespace suffice
