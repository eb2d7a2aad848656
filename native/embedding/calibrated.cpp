// Shares of neighbours by their distances, each list with the precision that gives it a perplexity.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/binding.hpp"
#include "core/ranges.hpp"
#include "core/vector_math.hpp"

namespace suffice {
namespace {

constexpr int kMost = 200;         // steps of the search
constexpr double kNear = 1e-13;    // of the entropy
constexpr double kLargest = 1e30;  // a precision at which only the nearest count
constexpr double kLeast = -690;

// Σ w e, Σ w δ e and Σ w δ² e with e = exp(−β δ).
struct Sums {
    double all, first, second;
};

class List {
  public:
    // The squared distances of one list, over their mean beyond the nearest, and what each counts.
    void read(const double* squared, const double* mass, std::size_t count) {
        gaps_.assign(round_up(count, kLanes), 0.0);
        mass_.assign(gaps_.size(), 0.0);
        double least = squared[0], mean = 0;
        for (std::size_t j = 1; j < count; ++j) least = std::min(least, squared[j]);
        for (std::size_t j = 0; j < count; ++j) mean += squared[j] - least;
        mean /= static_cast<double>(count);
        unit_ = mean > 0 ? mean : 1.0;
        for (std::size_t j = 0; j < count; ++j) gaps_[j] = (squared[j] - least) / unit_, mass_[j] = mass[j];
    }

    // The precision whose entropy log S + β E is the one asked for, by Newton's method between bounds.
    double precision(double entropy) const {
        double low = 0, high = kLargest, beta = 1;
        const double mass = sums(0).all;
        if (std::log(mass) <= entropy) return 0;
        for (int step = 0; step < kMost; ++step) {
            const Sums s = sums(beta);
            const double mean = s.first / s.all, spread = s.second / s.all - mean * mean;
            const double error = std::log(s.all) + beta * mean - entropy;
            if (std::abs(error) <= kNear) break;
            (error > 0 ? low : high) = beta;
            double next = spread > 0 ? beta + error / (beta * spread) : 2 * beta;
            if (!(next > low && next < high)) next = high == kLargest ? 4 * beta : 0.5 * (low + high);
            if (next >= kLargest || next == beta) break;
            beta = next;
        }
        return beta;
    }

    void write(double beta, std::size_t count, double* share) const {
        double total = 0;
        for (std::size_t j = 0; j < gaps_.size(); j += kLanes) {
            const Vec own = load(mass_.data() + j) * exp_nonpositive(load(gaps_.data() + j) * -beta, kLeast);
            for (std::size_t l = 0; l < kLanes && j + l < count; ++l) total += share[j + l] = own[static_cast<int>(l)];
        }
        for (std::size_t j = 0; j < count; ++j) share[j] /= total;
    }

    double unit() const { return unit_; }

  private:
    Sums sums(double beta) const {
        Vec all{}, first{}, second{};
        for (std::size_t j = 0; j < gaps_.size(); j += kLanes) {
            const Vec gap = load(gaps_.data() + j);
            const Vec own = load(mass_.data() + j) * exp_nonpositive(gap * -beta, kLeast);
            all += own, first += own * gap, second += own * gap * gap;
        }
        return {sum_lanes(all), sum_lanes(first), sum_lanes(second)};
    }

    std::vector<double> gaps_, mass_;
    double unit_ = 1;
};

const Register registered([](nb::module_& m) {
    m.def("embedding_calibrated", [](Input squared, Codes ends, Input mass, double entropy, int threads, Output share,
                                     Output precision) {
        const std::size_t q = ends.size(), pairs = squared.size();
        expect_ends("ends", ends, pairs);
        expect("mass", mass, pairs);
        expect("share", share, pairs);
        expect("precision", precision, q);
        const double *all = squared.data(), *weight = mass.data();
        const std::int64_t* end = ends.data();
        double *into = share.data(), *figures = precision.data();
        call(threads, [&](const Runtime& r) {
            const Stripes stripes(q, 16);
            for_stripes(stripes.count(), 200.0 * static_cast<double>(pairs), r, [] { return List(); }, [&](std::size_t s, List& list) {
                for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
                    const std::size_t begin = i ? static_cast<std::size_t>(end[i - 1]) : 0, count = static_cast<std::size_t>(end[i]) - begin;
                    figures[i] = 0;
                    if (count == 0) continue;
                    list.read(all + begin, weight + begin, count);
                    const double beta = list.precision(entropy);
                    list.write(beta, count, into + begin);
                    figures[i] = beta / list.unit();
                }
            });
        });
    }, nb::arg("squared"), nb::arg("ends"), nb::arg("mass"), nb::arg("entropy"), nb::arg("threads"), nb::arg("share"),
       nb::arg("precision"));
});

}  // namespace
}  // namespace suffice
