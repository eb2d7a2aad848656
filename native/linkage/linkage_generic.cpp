// Hierarchies from a matrix where heights may fall (centroid, median): always the two nearest clusters.
//
// Every cluster keeps its nearest among those in later slots, or a lower bound of that distance (Müllner, 2011). The
// cluster with the least bound is looked at: an exact bound is merged, one that is not is found anew.
#include <nanobind/stl/string.h>

#include <limits>
#include <vector>

#include "core/binding.hpp"
#include "linkage/bounds.hpp"
#include "linkage/lance_williams.hpp"
#include "linkage/linkage.hpp"

namespace suffice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Found {
    std::size_t at;
    double distance;
};

template <class T>
class Generic {
  public:
    Generic(T* matrix, std::size_t n, const double* weight)
        : matrix_(matrix), n_(n), size_(weight, weight + n), is_there_(n, 1), neighbour_(n, 0), bounds_(start()) {}

    template <class Linkage>
    void run(Linkage linkage, Merges merges, Poll poll) {
        for (std::size_t k = 0; k + 1 < n_; ++k) {
            std::size_t x = bounds_.least();
            while (bounds_.at(x) != static_cast<double>(at(x, neighbour_[x]))) {
                adopt(x, nearest(x));
                x = bounds_.least();
            }
            const std::size_t y = neighbour_[x];
            merges.add(x, y, static_cast<double>(at(x, y)));
            bounds_.remove_least();
            merge(linkage, x, y);
            poll();
        }
    }

  private:
    T& at(std::size_t i, std::size_t j) { return matrix_[i * n_ + j]; }

    std::vector<double> start() {
        std::vector<double> bound(n_ - 1);
        for (std::size_t i = 0; i + 1 < n_; ++i) {
            const Found found = nearest(i);
            neighbour_[i] = found.at;
            bound[i] = found.distance;
        }
        return bound;
    }

    // The nearest cluster in a later slot, the first of equals; infinitely far where there is none.
    Found nearest(std::size_t i) {
        Found found{i, kInfinity};
        for (std::size_t j = i + 1; j < n_; ++j)
            if (is_there_[j] && static_cast<double>(at(i, j)) < found.distance)
                found = {j, static_cast<double>(at(i, j))};
        return found;
    }

    void adopt(std::size_t i, const Found& found) {
        neighbour_[i] = found.at;
        bounds_.set(i, found.distance);
    }

    template <class Linkage>
    void merge(Linkage, std::size_t x, std::size_t y) {
        const Union both{size_[x], size_[y], static_cast<double>(at(x, y))};
        is_there_[x] = 0;
        size_[y] += size_[x];
        for (std::size_t i = 0; i < n_; ++i) {
            if (!is_there_[i] || i == y) continue;
            at(i, y) = at(y, i) = static_cast<T>(Linkage::update(at(x, i), at(y, i), size_[i], both));
            if (i < x && neighbour_[i] == x) neighbour_[i] = y;  // the old distance stays as a bound
            if (i < y && static_cast<double>(at(i, y)) < bounds_.at(i)) adopt(i, {y, static_cast<double>(at(i, y))});
        }
        const Found found = nearest(y);
        if (found.at != y) adopt(y, found);
    }

    T* matrix_;
    std::size_t n_;
    std::vector<double> size_;
    std::vector<char> is_there_;
    std::vector<std::size_t> neighbour_;
    Bounds bounds_;
};

template <class T>
void bind(nb::module_& m) {
    m.def("linkage_generic", [](Result<T> matrix, Input weight, const std::string& linkage,
                                Result<std::int64_t> pair, Output height) {
        const std::size_t n = weight.shape(0);
        expect("matrix", matrix, n * n);
        T* cells = matrix.data();
        Merges merges = merges_of(pair, height, n);
        const double* sizes = weight.data();
        call(1, [&](const Runtime& runtime) {
            with_linkage(linkage, [&](auto method) { Generic<T>(cells, n, sizes).run(method, merges, Poll(runtime)); });
        });
    }, nb::arg("matrix"), nb::arg("weight"), nb::arg("linkage"), nb::arg("pair"),
       nb::arg("height"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
