// The nearest of k centres for the rows of a CSR matrix, also where bounds tell which rows need a look.
//
// ‖x − c‖² is ‖x‖² + 2 (‖c‖²/2 − x·c). The centres stand by columns, so that a cell of a row meets all of them in whole
// vectors; where there are fewer cells than columns, turning the centres would cost more than that saves.
#include <cmath>
#include <limits>
#include <vector>

#include "core/binding.hpp"
#include "sparse/csr.hpp"

namespace suffice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-13;  // of ‖x‖² + ‖c‖², in a squared distance
constexpr double kSlack = 1e-9;      // of bounds

struct Nearest {
    std::int32_t label = 0;
    double squared = kInfinity, second_squared = kInfinity;
};

class SparseCentres {
  public:
    SparseCentres(const double* centres, std::size_t k, std::size_t d, bool is_turned, const Runtime& runtime)
        : centres_(centres), k_(k), d_(d), width_(round_up(k, 8)), half_norm_(width_, kInfinity) {
        const Stripes by_centre(k, 1);
        for_stripes(by_centre.count(), static_cast<double>(k * d), runtime, [] { return 0; }, [&](std::size_t s, int&) {
            for (std::size_t j = by_centre.begin(s); j < by_centre.end(s); ++j)
                half_norm_[j] = squared_length(centres + j * d) / 2;
        });
        if (is_turned) turn(runtime);
    }

    std::size_t width() const { return width_; }

    // `sum` has room for the width.
    template <class T, class I>
    Nearest nearest(const Csr<T, I>& x, std::size_t i, double* sum) const {
        if (turned_)
            multiply_whole_row(x, i, turned_.get(), width_, sum);
        else
            multiply_as_they_stand(x, i, sum);
        double norm = 0;
        for (I p = x.starts[i]; p < x.starts[i + 1]; ++p)
            norm += static_cast<double>(x.data[p]) * static_cast<double>(x.data[p]);
        return decide(sum, norm);
    }

  private:
    double squared_length(const double* centre) const {
        Vec sum[4] = {};  // side by side, so that no addition waits for the one before
        std::size_t i = 0;
        for (; i + 4 * kLanes <= d_; i += 4 * kLanes)
            for (int u = 0; u < 4; ++u) sum[u] = plus_square(sum[u], load(centre + i + u * kLanes));
        double total = sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
        for (; i < d_; ++i) total = plus_square(total, centre[i]);
        return total;
    }

    void turn(const Runtime& runtime) {
        turned_.reset(new double[d_ * width_]);
        const Stripes columns(d_, 256);
        for_stripes(columns.count(), static_cast<double>(d_ * width_) * 2, runtime, [] { return 0; }, [&](std::size_t s, int&) {
            constexpr std::size_t kSome = 64;  // columns at a time, which stay near
            for (std::size_t first = columns.begin(s); first < columns.end(s); first += kSome) {
                const std::size_t end = std::min(first + kSome, columns.end(s));
                for (std::size_t i = first; i < end; ++i)
                    for (std::size_t j = k_; j < width_; ++j) turned_[i * width_ + j] = 0;
                for (std::size_t j = 0; j < k_; ++j)
                    for (std::size_t i = first; i < end; ++i) turned_[i * width_ + j] = centres_[j * d_ + i];
            }
        });
    }

    template <class T, class I>
    void multiply_as_they_stand(const Csr<T, I>& x, std::size_t i, double* sum) const {
        std::fill_n(sum, width_, 0.0);
        for (std::size_t j = 0; j < k_; ++j) {
            const double* centre = centres_ + j * d_;
            for (I p = x.starts[i]; p < x.starts[i + 1]; ++p)
                sum[j] += static_cast<double>(x.data[p]) * centre[static_cast<std::size_t>(x.indices[p])];
        }
    }

    // The least of ‖c‖²/2 − x·c, the first of equals, and the next.
    Nearest decide(const double* product, double norm) const {
        Vec best = broadcast(kInfinity), second = best, place{};
        for (std::size_t c = 0; c < width_; c += kLanes) {
            const Vec score = load(&half_norm_[c]) - load(product + c);
            const auto nearer = score < best;
            const Vec other = nearer ? best : score;
            second = other < second ? other : second;
            place = nearer ? broadcast(static_cast<double>(c)) : place;
            best = nearer ? score : best;
        }
        double least = kInfinity, next = kInfinity, at = 0;
        for (int l = 0; l < kLanes; ++l) {
            const double own = place[l] + l;
            next = std::min({next, static_cast<double>(second[l]), std::max(least, static_cast<double>(best[l]))});
            if (best[l] < least || (best[l] == least && own < at)) {
                least = best[l];
                at = own;
            }
        }
        Nearest found{static_cast<std::int32_t>(at), norm + 2 * least, norm + 2 * next};
        const double rounding = kRounding * (norm + 2 * half_norm_[static_cast<std::size_t>(at)]);
        if (found.squared < rounding) found.squared = 0;
        found.second_squared = std::max(found.second_squared - 4 * rounding, 0.0);
        return found;
    }

    const double* centres_;
    std::size_t k_, d_, width_;
    std::vector<double> half_norm_;  // (width), infinite beyond k
    std::unique_ptr<double[]> turned_;  // (d, width), or nothing
};

template <class T, class I>
void assign(const Csr<T, I>& x, const SparseCentres& centres, const Runtime& runtime, double operations,
            std::int32_t* labels, double* squared) {
    const Stripes stripes(x.rows, 64);
    for_stripes(stripes.count(), operations, runtime, [&] { return std::vector<double>(centres.width()); },
                [&](std::size_t s, std::vector<double>& sum) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            const Nearest found = centres.nearest(x, i, sum.data());
            labels[i] = found.label;
            squared[i] = found.squared;
        }
    });
}

// By the label of a row plus one: how far its centre moved, and how far any other did at most.
struct Drift {
    const double *own, *others;
};

// Moves the bounds and looks at the rows that they do not settle; says how many these were.
template <class T, class I>
std::int64_t look(const Csr<T, I>& x, const SparseCentres& centres, const Drift& drift, const Runtime& runtime,
                  double operations, std::int32_t* labels, double* upper, double* lower) {
    struct Own {
        std::vector<double> sum;
        std::int64_t scanned = 0;
    };
    const Stripes stripes(x.rows, 64);
    std::int64_t scanned = 0;
    reduce_stripes(
        stripes.count(), operations, runtime, [&] { return Own{std::vector<double>(centres.width()), 0}; },
        [&](std::size_t s, Own& own) {
            own.scanned = 0;
            for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
                const auto a = static_cast<std::size_t>(labels[i] + 1);
                upper[i] += drift.own[a];
                lower[i] -= drift.others[a];
                if (upper[i] * (1 + kSlack) < lower[i]) continue;
                const Nearest found = centres.nearest(x, i, own.sum.data());
                labels[i] = found.label;
                upper[i] = std::sqrt(found.squared) * (1 + kSlack);
                lower[i] = std::sqrt(found.second_squared) * (1 - kSlack);
                ++own.scanned;
            }
        },
        [&](std::size_t, Own& own) { scanned += own.scanned; });
    return scanned;
}

template <class T, class I>
void bind(nb::module_& m) {
    m.def("sparse_nearest", [](Vector<T> data, Vector<I> indices, Vector<I> starts, std::size_t columns,
                               Full<double> at, bool turned, int threads, Result<std::int32_t> labels, Output squared) {
        expect_csr(data, indices, starts);
        const std::size_t n = starts.size() - 1, k = at.shape(0), d = at.shape(1);
        if (k == 0 || d != columns) throw nb::value_error("centres must have as many columns as the rows");
        expect("labels", labels, n);
        expect("squared", squared, n);
        const Csr<T, I> x{data.data(), indices.data(), starts.data(), n};
        const double operations = static_cast<double>(data.size()) * static_cast<double>(k);
        const double* centres = at.data();
        call(threads, [&](const Runtime& r) {
            assign<T, I>(x, SparseCentres(centres, k, d, turned, r), r, operations, labels.data(), squared.data());
        });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("columns"), nb::arg("centres"), nb::arg("turned"),
       nb::arg("threads"), nb::arg("labels"), nb::arg("squared"));
    m.def("sparse_kmeans_look", [](Vector<T> data, Vector<I> indices, Vector<I> starts, std::size_t columns,
                                   Full<double> at, bool turned, Input own, Input others, int threads, Result<std::int32_t> labels, Output upper,
                                   Output lower) {
        expect_csr(data, indices, starts);
        const std::size_t n = starts.size() - 1, k = at.shape(0), d = at.shape(1);
        if (k == 0 || d != columns) throw nb::value_error("centres must have as many columns as the rows");
        expect("own", own, k + 1);
        expect("others", others, k + 1);
        expect("labels", labels, n);
        expect("upper", upper, n);
        expect("lower", lower, n);
        expect_below("labels", labels, k, -1);
        const Csr<T, I> x{data.data(), indices.data(), starts.data(), n};
        const Drift drift{own.data(), others.data()};
        const double operations = static_cast<double>(data.size()) * static_cast<double>(k);
        const double* centres = at.data();
        return call(threads, [&](const Runtime& r) {
            return look<T, I>(x, SparseCentres(centres, k, d, turned, r), drift, r, operations, labels.data(),
                              upper.data(), lower.data());
        });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("columns"), nb::arg("centres"), nb::arg("turned"), nb::arg("own"),
       nb::arg("others"), nb::arg("threads"), nb::arg("labels"), nb::arg("upper"), nb::arg("lower"));
}

const Register registered([](nb::module_& m) {
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
});

}  // namespace
}  // namespace suffice
