// What log densities (n, k) say of every row: probabilities, their logarithms, the log of their sum, the likeliest.
//
// Rows are taken in blocks that lie column by column, so that the lanes of a vector are rows.
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/transpose.hpp"
#include "core/vector_math.hpp"

namespace suffice {
namespace {

constexpr std::size_t kHeight = 128;
constexpr std::size_t kApart = kHeight + kLanes;
constexpr double kSmallest = -690;  // exp of less is 0

// Some rows: log density c of row b is joint[c * kApart + b].
struct Rows {
    std::size_t k;
    std::vector<double> joint;

    explicit Rows(std::size_t classes) : k(classes), joint(classes * kApart) {}

    void read(const View<double>& log_joint, std::size_t first, std::size_t count) {
        copy_columns(log_joint, first, count, joint.data(), kApart);
        for (std::size_t c = 0; c < k && count % kLanes; ++c)
            for (std::size_t b = count; b < round_up(count, kLanes); ++b) joint[c * kApart + b] = 0;
    }

    double* at(std::size_t c, std::size_t b) { return &joint[c * kApart + b]; }

    // The largest of the rows from b on; `odd` where it is not finite, or where there is a NaN.
    Vec largest(std::size_t b, bool& odd) {
        Vec top = load(at(0, b));
        Bits nan = top != top;
        for (std::size_t c = 1; c < k; ++c) {
            const Vec value = load(at(c, b));
            nan |= value != value;
            top = value > top ? value : top;
        }
        nan |= !(top - top == Vec{});
        odd = false;
        for (int l = 0; l < kLanes; ++l) odd |= nan[l] != 0;
        return top;
    }

    // The same once rows that nothing can be told from have been replaced.
    Vec comparable(std::size_t b, const double* log_prior) {
        bool odd;
        const Vec top = largest(b, odd);
        if (!odd) return top;
        for (std::size_t l = 0; l < kLanes; ++l) mend(b + l, log_prior);
        return largest(b, odd);
    }

    // NaN is no density; an infinite one leaves no other; where there is none, log_prior is left.
    void mend(std::size_t b, const double* log_prior) {
        bool infinite = false, some = false;
        for (std::size_t c = 0; c < k; ++c) infinite |= *at(c, b) == INFINITY;
        for (std::size_t c = 0; c < k; ++c) {
            double& value = *at(c, b);
            if (infinite)
                value = value == INFINITY ? 0.0 : -INFINITY;
            else if (std::isnan(value))
                value = -INFINITY;
            some |= value != -INFINITY;
        }
        for (std::size_t c = 0; c < k && !some; ++c) *at(c, b) = log_prior[c];
    }

    Vec sum_of_exponentials(std::size_t b, Vec top, bool keep) {
        Vec sum = {};
        for (std::size_t c = 0; c < k; ++c) {
            const Vec value = exp_nonpositive(load(at(c, b)) - top, kSmallest);
            if (keep) store(at(c, b), value);
            sum += value;
        }
        return sum;
    }
};

// Calls work(rows, first, count) for every block of rows.
template <class Work>
void by_blocks(const View<double>& log_joint, const Runtime& runtime, Work work) {
    const Stripes stripes(log_joint.rows, 4 * kHeight);
    const double operations = 24.0 * static_cast<double>(log_joint.rows) * static_cast<double>(log_joint.cols);
    reduce_stripes(
        stripes.count(), operations, runtime, [&] { return Rows(log_joint.cols); },
        [&](std::size_t s, Rows& rows) {
            for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kHeight) {
                const std::size_t count = std::min(kHeight, stripes.end(s) - first);
                rows.read(log_joint, first, count);
                work(rows, first, count);
            }
        },
        [](std::size_t, Rows&) {});
}

// out (n, k): probabilities, or their logarithms.
void posteriors(const View<double>& log_joint, const double* log_prior, bool logarithms, const Runtime& runtime,
                double* out) {
    const std::size_t k = log_joint.cols;
    by_blocks(log_joint, runtime, [&](Rows& rows, std::size_t first, std::size_t count) {
        for (std::size_t b = 0; b < count; b += kLanes) {
            const Vec top = rows.comparable(b, log_prior);
            const Vec sum = rows.sum_of_exponentials(b, top, !logarithms);
            const Vec log_sum = logarithms ? log_normal(sum) : Vec{};
            for (std::size_t c = 0; c < k; ++c) {
                const Vec value = load(rows.at(c, b));
                store(rows.at(c, b), logarithms ? Vec(value - top - log_sum) : Vec(value / sum));
            }
        }
        const View<double> turned{rows.joint.data(), k, count, static_cast<std::ptrdiff_t>(kApart), 1};
        copy_columns(turned, 0, k, out + first * k, k);
    });
}

// out (n): the logarithm of the sum of exponentials.
void log_totals(const View<double>& log_joint, const Runtime& runtime, double* out) {
    by_blocks(log_joint, runtime, [&](Rows& rows, std::size_t first, std::size_t count) {
        for (std::size_t b = 0; b < count; b += kLanes) {
            bool odd;
            const Vec top = rows.largest(b, odd);
            Vec total = top + log_normal(rows.sum_of_exponentials(b, top, false));
            for (std::size_t l = 0; odd && l < kLanes; ++l) {
                const std::size_t lane = b + l;
                double sum = 0;  // NaN if one is
                for (std::size_t c = 0; c < rows.k; ++c) sum += std::isnan(*rows.at(c, lane)) ? *rows.at(c, lane) : 0.0;
                if (std::isinf(top[l]) || std::isnan(sum)) total[l] = top[l] + sum;
            }
            for (std::size_t l = 0; l < kLanes && b + l < count; ++l) out[first + b + l] = total[l];
        }
    });
}

// out (n): the class with the largest, the first among equals.
void likeliest(const View<double>& log_joint, const double* log_prior, const Runtime& runtime, std::int64_t* out) {
    by_blocks(log_joint, runtime, [&](Rows& rows, std::size_t first, std::size_t count) {
        for (std::size_t b = 0; b < count; b += kLanes) {
            rows.comparable(b, log_prior);
            Vec top = load(rows.at(0, b));
            Bits best = {};
            for (std::size_t c = 1; c < rows.k; ++c) {
                const Vec value = load(rows.at(c, b));
                best = value > top ? Bits{} + static_cast<std::int64_t>(c) : best;
                top = value > top ? value : top;
            }
            for (std::size_t l = 0; l < kLanes && b + l < count; ++l) out[first + b + l] = best[l];
        }
    });
}

void expect_classes(const Matrix<double>& log_joint) {
    if (log_joint.shape(1) == 0) throw nb::value_error("log_joint has no columns; at least one is needed");
}

const Register registered([](nb::module_& m) {
    m.def("posteriors", [](Matrix<double> log_joint, Input log_prior, bool logarithms, int threads, Output out) {
        expect_classes(log_joint);
        expect("log_prior", log_prior, log_joint.shape(1));
        expect("out", out, log_joint.shape(0) * log_joint.shape(1));
        call(threads, [&](const Runtime& r) {
            posteriors(view<double>(log_joint), log_prior.data(), logarithms, r, out.data());
        });
    }, nb::arg("log_joint"), nb::arg("log_prior"), nb::arg("logarithms"), nb::arg("threads"), nb::arg("out"));
    m.def("log_totals", [](Matrix<double> log_joint, int threads, Output out) {
        expect_classes(log_joint);
        expect("out", out, log_joint.shape(0));
        call(threads, [&](const Runtime& r) { log_totals(view<double>(log_joint), r, out.data()); });
    }, nb::arg("log_joint"), nb::arg("threads"), nb::arg("out"));
    m.def("likeliest", [](Matrix<double> log_joint, Input log_prior, int threads, Result<std::int64_t> out) {
        expect_classes(log_joint);
        expect("log_prior", log_prior, log_joint.shape(1));
        expect("out", out, log_joint.shape(0));
        call(threads, [&](const Runtime& r) { likeliest(view<double>(log_joint), log_prior.data(), r, out.data()); });
    }, nb::arg("log_joint"), nb::arg("log_prior"), nb::arg("threads"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
