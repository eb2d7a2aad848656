// The two steps of k-means++: what each candidate would save, and taking one of them in.
//
// A candidate at least twice as far from a row's centre as the row is cannot be nearer to the row (triangle
// inequality), so most rows are not read once a few centres stand.
#include <vector>

#include "binding.hpp"
#include "nearest.hpp"

namespace suffice {
namespace {

constexpr double kSlack = 1 + 1e-6;  // distances are kept in single precision

// Squared distances from a block of rows to a few points, the rows across the lanes.
class Distances {
    static constexpr int kVectors = 2;
    static constexpr std::size_t kPoints = 4;  // at a time: what the registers hold

  public:
    static constexpr std::size_t kBlock = kVectors * kLanes;

    Distances(const double* points, std::size_t count, std::size_t d)
        : count_(count), d_(d), packed_(round_up(count, kPoints) * d), columns_(d * kBlock),
          squared_(round_up(count, kPoints) * kBlock) {
        for (std::size_t p = 0; p < count; ++p)
            for (std::size_t i = 0; i < d; ++i)
                packed_[(p / kPoints * d + i) * kPoints + p % kPoints] = points[p * d + i];
    }

    void put(std::size_t r, const double* row) {
        for (std::size_t i = 0; i < d_; ++i) columns_[i * kBlock + r] = row[i];
    }

    void compute() {
        for (std::size_t first = 0; first < count_; first += kPoints) compute_group(first);
    }

    double of(std::size_t point, std::size_t r) const { return squared_[point * kBlock + r]; }

  private:
    void compute_group(std::size_t first) {
        Vec sum[kPoints][kVectors] = {};
        const double* point = &packed_[first * d_];
        const double* column = columns_.data();
        for (std::size_t i = 0; i < d_; ++i, point += kPoints, column += kBlock)
            for (int v = 0; v < kVectors; ++v) {
                const Vec x = load(column + v * kLanes);
                for (std::size_t p = 0; p < kPoints; ++p) {
                    const Vec delta = x - point[p];
                    sum[p][v] += delta * delta;
                }
            }
        for (std::size_t p = 0; p < kPoints; ++p)
            for (int v = 0; v < kVectors; ++v) store(&squared_[(first + p) * kBlock + v * kLanes], sum[p][v]);
    }

    std::size_t count_, d_;
    std::vector<double> packed_, columns_, squared_;
};

struct Seeds {
    double* squared;        // (n) to the nearest centre so far
    std::int32_t* nearest;  // (n) which one that is
    const double* limit;    // (candidates, centres so far): a quarter of their squared distance
    std::size_t centres;

    bool cannot_help(std::size_t i, std::size_t candidate) const {
        return centres && squared[i] * kSlack <= limit[candidate * centres + static_cast<std::size_t>(nearest[i])];
    }

    bool none_can_help(std::size_t i, std::size_t candidates) const {
        bool none = true;
        for (std::size_t j = 0; j < candidates; ++j) none &= cannot_help(i, j);
        return none;
    }
};

// Calls use(i, r, distances) for the rows that a candidate may be nearer to, in blocks, and skip(i) for the others.
template <class T, class Use, class Skip>
void for_open_rows(const View<T>& x, std::size_t begin, std::size_t end, const Seeds& seeds, std::size_t candidates,
                   Distances& distances, std::vector<double>& scratch, Use use, Skip skip) {
    std::size_t open[Distances::kBlock], count = 0;
    auto flush = [&] {
        distances.compute();
        for (std::size_t r = 0; r < count; ++r) use(open[r], r);
        count = 0;
    };
    for (std::size_t i = begin; i < end; ++i) {
        if (seeds.none_can_help(i, candidates)) {
            skip(i);
            continue;
        }
        distances.put(count, rows_as_double(x, i, 1, scratch.data()));
        open[count++] = i;
        if (count == Distances::kBlock) flush();
    }
    if (count) flush();
}

// potential (c): Σ w min(squared, distance to the candidate). distance (n, c) keeps what was computed, for `seed_take`;
// its first entry is negative for rows that no candidate can be nearer to.
template <class T>
void seed_potentials(const View<T>& x, const double* row_weight, const double* candidates, std::size_t c,
                     const Seeds& seeds, const Runtime& runtime, float* distance, double* potential) {
    const Stripes stripes(x.rows, 1024);
    struct Scratch {
        Distances distances;
        std::vector<double> row, saved;
    };
    auto work = [&](std::size_t stripe, Scratch& s) {
        std::fill(s.saved.begin(), s.saved.end(), 0.0);
        double settled = 0;
        auto weight = [&](std::size_t i) { return row_weight ? row_weight[i] : 1.0; };
        for_open_rows(
            x, stripes.begin(stripe), stripes.end(stripe), seeds, c, s.distances, s.row,
            [&](std::size_t i, std::size_t r) {
                for (std::size_t j = 0; j < c; ++j) {
                    distance[i * c + j] = static_cast<float>(std::min(s.distances.of(j, r), 3e38));
                    s.saved[j] += weight(i) * std::min(seeds.squared[i], s.distances.of(j, r));
                }
            },
            [&](std::size_t i) {
                distance[i * c] = -1;
                settled += weight(i) * seeds.squared[i];
            });
        for (std::size_t j = 0; j < c; ++j) s.saved[j] += settled;
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(x.rows * c) * static_cast<double>(x.cols + 4), runtime,
        [&] { return Scratch{Distances(candidates, c, x.cols), std::vector<double>(x.cols), std::vector<double>(c)}; },
        work,
        [&](std::size_t, Scratch& s) {
            for (std::size_t j = 0; j < c; ++j) potential[j] += s.saved[j];
        });
}

// Takes one of the candidates in; total (stripes) are the sums of w · squared over the stripes afterwards.
void seed_take(const float* distance, std::size_t c, std::size_t best, std::size_t n, const double* row_weight,
               const Seeds& seeds, const Runtime& runtime, double* total) {
    const Stripes stripes(n, 1024);
    const auto index = static_cast<std::int32_t>(seeds.centres);
    auto work = [&](std::size_t stripe, int&) {
        double sum = 0;
        for (std::size_t i = stripes.begin(stripe); i < stripes.end(stripe); ++i) {
            const auto squared = static_cast<double>(distance[i * c + best]);
            if (distance[i * c] >= 0 && squared < seeds.squared[i]) {
                seeds.squared[i] = squared;
                seeds.nearest[i] = index;
            }
            sum += (row_weight ? row_weight[i] : 1.0) * seeds.squared[i];
        }
        total[stripe] = sum;
    };
    reduce_stripes(
        stripes.count(), static_cast<double>(n) * 10, runtime, [] { return 0; }, work, [](std::size_t, int&) {});
}

template <class T>
void bind(nb::module_& m) {
    m.def("seed_potentials", [](Matrix<T> x, nb::object weights, Input candidates, Output squared,
                                Result<std::int32_t> nearest, Input limit, int threads, Result<float> distance,
                                Output potential) {
        const double* w = pointer(weights);
        const Seeds seeds{squared.data(), nearest.data(), limit.data(), limit.shape(1)};
        call(threads, [&](const Runtime& r) {
            seed_potentials<T>(view<T>(x), w, candidates.data(), candidates.shape(0), seeds, r, distance.data(),
                               potential.data());
        });
    }, nb::arg("x").noconvert(), nb::arg("weights").none(), nb::arg("candidates"), nb::arg("squared"),
       nb::arg("nearest").noconvert(), nb::arg("limit"), nb::arg("threads"), nb::arg("distance").noconvert(),
       nb::arg("potential"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
    m.def("seed_take", [](Result<float> distance, std::size_t best, nb::object weights, Output squared,
                          Result<std::int32_t> nearest, std::size_t centres, int threads, Output total) {
        const double* w = pointer(weights);
        const Seeds seeds{squared.data(), nearest.data(), nullptr, centres};
        call(threads, [&](const Runtime& r) {
            seed_take(distance.data(), distance.shape(1), best, distance.shape(0), w, seeds, r, total.data());
        });
    }, nb::arg("distance").noconvert(), nb::arg("best"), nb::arg("weights").none(), nb::arg("squared"),
       nb::arg("nearest").noconvert(), nb::arg("centres"), nb::arg("threads"), nb::arg("total"));
    m.def("stripe_height", [](std::size_t rows) { return Stripes(rows, 1024).height; });
});

}  // namespace
}  // namespace suffice
