// The greedy start of k-medoids (BUILD), and the check of a matrix of dissimilarities.
//
// Each medoid is the one that lowers the cost most. The gain of a candidate can only fall as medoids join, so the gains
// computed last are upper bounds, and most candidates need not be looked at again.
#include <cmath>
#include <limits>
#include <vector>

#include "medoids/medoids.hpp"

namespace suffice {
namespace {

// How much the cost falls when candidate c joins: Σ w max(nearest − d, 0).
template <class T>
double gain(const Table<T>& t, std::size_t c, const double* nearest) {
    const T* row = t.row(c);
    Vec total{};
    for_vectors(t.n(), [&](std::size_t, auto get) {
        const Vec fall = get(nearest) - get(row);
        const Vec v = fall > 0 ? fall : Vec{};
        total += t.weight ? v * get(t.weight) : v;
    });
    return sum(total);
}

template <class T>
double row_cost(const Table<T>& t, std::size_t c) {
    const T* row = t.row(c);
    Vec total{};
    for_vectors(t.n(), [&](std::size_t, auto get) { total += t.weight ? get(row) * get(t.weight) : get(row); });
    return sum(total);
}

// value[c] = f(c) for each of the candidates, on all threads.
template <class T, class F>
void evaluate(const Table<T>& t, const std::vector<std::size_t>& candidates, std::size_t begin, std::size_t end,
              const Runtime& runtime, std::vector<double>& value, F f) {
    const std::size_t height = std::min<std::size_t>(t.height(), 8), count = (end - begin + height - 1) / height;
    auto work = [&](std::size_t s, int&) {
        for (std::size_t j = begin + s * height; j < std::min(end, begin + (s + 1) * height); ++j)
            value[candidates[j]] = f(candidates[j]);
    };
    for_stripes(count, t.cells(end - begin), runtime, [] { return 0; }, work);
}

// The candidate of the largest gain, the first of equals. `bound` holds the gains last computed, which are never
// smaller than those now, so candidates are taken in their order until no other can be better.
template <class T>
std::size_t best_gain(const Table<T>& t, std::vector<std::size_t>& candidates, const double* nearest,
                      const Runtime& runtime, Clock& clock, std::vector<double>& bound) {
    std::sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
        return bound[a] != bound[b] ? bound[a] > bound[b] : a < b;
    });
    std::size_t best = candidates[0], batch = 16;
    double most = -1;
    for (std::size_t begin = 0; begin < candidates.size(); batch *= 2) {
        if (bound[candidates[begin]] * (1 + 1e-12) < most) break;
        const std::size_t end = std::min(candidates.size(), begin + batch);
        evaluate(t, candidates, begin, end, runtime, bound, [&](std::size_t c) { return gain(t, c, nearest); });
        for (; begin < end; ++begin) {
            const std::size_t c = candidates[begin];
            if (bound[c] > most || (bound[c] == most && c < best)) most = bound[c], best = c;
        }
        clock.poll();
    }
    return best;
}

template <class T>
void build(const Table<T>& t, std::size_t k, const Runtime& runtime, std::int64_t* medoids) {
    Clock clock(runtime);
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < t.n(); ++i)
        if (t.counts(i)) candidates.push_back(i);
    std::vector<double> bound(t.n()), nearest(t.n());
    evaluate(t, candidates, 0, candidates.size(), runtime, bound, [&](std::size_t c) { return row_cost(t, c); });
    std::size_t chosen = *std::min_element(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
        return bound[a] != bound[b] ? bound[a] < bound[b] : a < b;
    });
    std::fill(bound.begin(), bound.end(), std::numeric_limits<double>::infinity());
    std::fill(nearest.begin(), nearest.end(), std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < k; ++j) {
        if (j > 0) chosen = best_gain(t, candidates, nearest.data(), runtime, clock, bound);
        medoids[j] = static_cast<std::int64_t>(chosen);
        candidates.erase(std::find(candidates.begin(), candidates.end(), chosen));
        for (std::size_t i = 0; i < t.n(); ++i) nearest[i] = std::min(nearest[i], t.at(chosen, i));
    }
}

struct Fault {
    int kind;  // 0 none, 1 negative or not finite, 2 not symmetric
    std::size_t row, column;
};

template <class T>
Fault fault_of_cell(const View<T>& x, std::size_t i, std::size_t j, double tolerance) {
    const double a = static_cast<double>(x.at(i, j)), b = static_cast<double>(x.at(j, i));
    const bool is_good = a >= 0 && b >= 0 && std::abs(a - b) <= tolerance * (a + b) && a + b < HUGE_VAL;
    if (is_good) return {0, 0, 0};
    if (!(a >= 0) || std::isinf(a)) return {1, i, j};
    if (!(b >= 0) || std::isinf(b)) return {1, j, i};
    return {2, i, j};
}

// A cell that no symmetric matrix of dissimilarities has, looked for tile by tile; kind 0 where there is none.
template <class T>
Fault fault(const View<T>& x, double tolerance, const Runtime& runtime) {
    constexpr std::size_t tile = 32;
    const std::size_t count = (x.rows + tile - 1) / tile;
    Fault first{0, 0, 0};
    auto work = [&](std::size_t s, Fault& bad) {
        bad = {0, 0, 0};
        const std::size_t end = std::min(x.rows, (s + 1) * tile);
        for (std::size_t left = s * tile; left < x.rows && !bad.kind; left += tile)
            for (std::size_t i = s * tile; i < end && !bad.kind; ++i)
                for (std::size_t j = left; j < std::min(x.rows, left + tile) && !bad.kind; ++j)
                    bad = fault_of_cell(x, i, j, tolerance);
    };
    const double cells = static_cast<double>(x.rows) * static_cast<double>(x.rows);
    reduce_stripes(count, cells, runtime, [] { return Fault{0, 0, 0}; }, work, [&](std::size_t, Fault& bad) {
        if (!first.kind) first = bad;
    });
    return first;
}

template <class T>
void bind(nb::module_& m) {
    m.def("medoid_build", [](Full<T> d, Optional<Input> weight, int threads, Result<std::int64_t> medoids) {
        expect("d", d, d.shape(0) * d.shape(0));
        expect("weight", weight, d.shape(0));
        expect_medoids(medoids, d.shape(0));
        const Table<T> table{view<T>(d), pointer(weight)};
        call(threads, [&](const Runtime& r) { build(table, medoids.size(), r, medoids.data()); });
    }, nb::arg("d"), nb::arg("weight").none(), nb::arg("threads"), nb::arg("medoids"));
    m.def("dissimilarity_fault", [](Matrix<T> d, double tolerance, int threads) {
        if (d.shape(0) != d.shape(1)) throw nb::value_error("d must be square");
        const Fault bad = call(threads, [&](const Runtime& r) { return fault(view<T>(d), tolerance, r); });
        return nb::make_tuple(bad.kind, bad.row, bad.column);
    }, nb::arg("d"), nb::arg("tolerance"), nb::arg("threads"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
