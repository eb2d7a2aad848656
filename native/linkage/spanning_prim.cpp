// A minimum spanning tree by growing it from the first row (Prim), O(n²) time and O(n) memory, for any distance.
//
// Rows are listed in the order in which they join; the merge of a row with the one before it, at the distance at which
// it joined, gives the same hierarchy as the edges of the tree. Rows that have joined are squeezed out.
#include <nanobind/stl/string.h>

#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "core/binding.hpp"
#include "distances/all_pairs.hpp"
#include "linkage/linkage.hpp"
#include "distances/pair_sums.hpp"

namespace suffice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Rows that have not joined yet, with their distances from the tree.
class Outside {
  public:
    Outside(std::vector<double> points, std::size_t d, const PairSums& sums)
        : points_(std::move(points)), d_(d), sums_(sums), row_(points_.size() / d), from_(d) {
        std::iota(row_.begin(), row_.end(), std::size_t{0});
        distance_.assign(round_up(row_.size(), kWide), kInfinity);
        left_ = row_.size();
        pack();
    }

    std::size_t left() const { return left_; }

    // Row number `at` joins; says which row it is.
    std::size_t join(std::size_t at) {
        std::copy_n(points_.data() + at * d_, d_, from_.data());
        const std::size_t row = row_[at];
        gone_[at] = kInfinity;
        if (--left_ * 10 < row_.size() * 7) squeeze();
        return row;
    }

    // The row nearest to the tree after the last one joined, the first of equals.
    std::size_t next(double& least) {
        least = kInfinity;
        std::size_t place = 0;
        for (std::size_t first = 0; first < row_.size(); first += kWide) {
            const double here = look(first);
            if (here < least) {
                least = here;
                place = first;
            }
        }
        while (distance_[place] + gone_[place] != least) ++place;
        return place;
    }

  private:
    double look(std::size_t first) {
        double values[kWide];
        sums_.wide(from_.data(), d_, panels_.data() + first * d_, values);
        Vec least = broadcast(kInfinity);
        for (std::size_t c = 0; c < kWide; c += kLanes) {
            const Vec now = load(values + c), before = load(&distance_[first + c]);
            const Vec nearer = now < before ? now : before, there = nearer + load(&gone_[first + c]);
            store(&distance_[first + c], nearer);
            least = there < least ? there : least;
        }
        double best = kInfinity;
        for (int l = 0; l < kLanes; ++l) best = std::min(best, least[l]);
        return best;
    }

    void squeeze() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < row_.size(); ++i) {
            if (gone_[i] != 0) continue;
            std::copy_n(points_.data() + i * d_, d_, points_.data() + kept * d_);
            row_[kept] = row_[i];
            distance_[kept++] = distance_[i];
        }
        row_.resize(kept);
        points_.resize(kept * d_);
        distance_.resize(round_up(kept, kWide));
        pack();
    }

    void pack() {
        const std::size_t n = row_.size();
        const View<double> rows{points_.data(), n, d_, static_cast<std::ptrdiff_t>(d_), 1};
        panels_ = packed(Rows(rows), kWide);
        gone_.assign(distance_.size(), kInfinity);
        std::fill_n(gone_.begin(), n, 0.0);
    }

    std::vector<double> points_, panels_;
    std::size_t d_;
    PairSums sums_;
    std::vector<std::size_t> row_;
    std::vector<double> from_, distance_, gone_;
    std::size_t left_ = 0;
};

template <class T>
void from_matrix(const T* matrix, std::size_t n, Merges merges, Poll poll) {
    std::vector<double> distance(n, kInfinity);
    std::vector<char> joined(n, 0);
    for (std::size_t last = 0; merges.count + 1 < n;) {
        joined[last] = 1;
        const T* row = matrix + last * n;
        std::size_t next = n;
        for (std::size_t i = 0; i < n; ++i) {
            distance[i] = std::min(distance[i], static_cast<double>(row[i]));
            if (!joined[i] && (next == n || distance[i] < distance[next])) next = i;
        }
        merges.add(last, next, distance[next]);
        last = next;
        poll();
    }
}

// `is_stored`: all pairs are computed at once and kept.
void from_rows(const Rows& x, const PairSums& sums, bool is_stored, Merges merges, const Runtime& runtime) {
    if (is_stored) {
        const std::unique_ptr<double[]> all(new double[x.rows * x.rows]);
        symmetric_pairs(x, sums, all.get(), runtime);
        return from_matrix(all.get(), x.rows, merges, Poll(runtime));
    }
    Poll poll(runtime);
    std::vector<double> points(x.rows * x.cols);
    x.copy(0, x.rows, points.data());
    Outside outside(std::move(points), x.cols, sums);
    std::size_t last = outside.join(0);
    while (outside.left() > 0) {
        double distance;
        const std::size_t row = outside.join(outside.next(distance));
        merges.add(last, row, distance);
        last = row;
        poll();
    }
}

template <class T>
void bind(nb::module_& m) {
    m.def("spanning_prim", [](Full<T> matrix,
                              Result<std::int64_t> pair, Output height) {
        const std::size_t n = matrix.shape(0);
        expect("matrix", matrix, n * n);
        const T* cells = matrix.data();
        const Merges merges = merges_of(pair, height, n);
        call(1, [&](const Runtime& r) { from_matrix(cells, n, merges, Poll(r)); });
    }, nb::arg("matrix"), nb::arg("pair"), nb::arg("height"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
    m.def("spanning_prim_rows", [](Matrix<double> x, const std::string& kind, double p, std::size_t numbers,
                                   Optional<Input> cells, double scale, bool is_stored, int threads,
                                   Result<std::int64_t> pair, Output height) {
        const std::size_t n = x.shape(0);
        expect("cells", cells, x.shape(1));
        const Rows rows(view<double>(x));
        const PairSums sums = plain_pair_sums(kind, p, numbers, make_form("none", p, pointer(cells), scale));
        const Merges merges = merges_of(pair, height, n, x.shape(1));
        call(threads, [&](const Runtime& r) { from_rows(rows, sums, is_stored, merges, r); });
    }, nb::arg("x"), nb::arg("kind"), nb::arg("p"), nb::arg("numbers"), nb::arg("cells").none(),
       nb::arg("scale"), nb::arg("is_stored"), nb::arg("threads"), nb::arg("pair"), nb::arg("height"));
});

}  // namespace
}  // namespace suffice
