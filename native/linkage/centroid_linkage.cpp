// Hierarchies of centroids in O(n) memory: Ward by chains of nearest neighbours, centroid and median by always merging
// the two nearest.
#include <nanobind/stl/string.h>

#include <cmath>

#include "core/binding.hpp"
#include "linkage/bounds.hpp"
#include "linkage/centroid_field.hpp"
#include "linkage/linkage.hpp"

namespace suffice {
namespace {

void ward(CentroidField& field, Merges merges, Poll poll) {
    std::vector<std::size_t> chain;
    for (std::size_t first = 0; field.active() > 1;) {
        if (chain.empty()) {
            while (!field.has(first)) ++first;
            chain.push_back(first);
        }
        const std::size_t x = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : CentroidField::kNone;
        const auto found = field.nearest<WardScale>(x, before);
        poll();
        if (found.slot != before) {
            chain.push_back(found.slot);
            continue;
        }
        chain.resize(chain.size() - 2);
        const std::size_t low = std::min(x, before), high = std::max(x, before);
        merges.add(low, high, std::sqrt(2 * found.value));
        field.merge(low, high, field.size(low) / (field.size(low) + field.size(high)));
    }
}

class Closest {
  public:
    Closest(CentroidField& field, std::size_t n, Poll poll)
        : field_(field), poll_(poll), neighbour_(n), version_(n, 0), seen_(n, 0), bounds_(start(n)) {}

    void run(bool is_median, Merges merges) {
        while (field_.active() > 1) {
            const std::size_t a = bounds_.least(), b = neighbour_[a];
            poll_();
            if (!field_.has(b) || version_[b] != seen_[a]) {
                search(a);
                continue;
            }
            const std::size_t x = std::min(a, b), y = std::max(a, b);
            merges.add(x, y, std::sqrt(bounds_.at(a)));
            const double share = is_median ? 0.5 : field_.size(x) / (field_.size(x) + field_.size(y));
            field_.merge(x, y, share);
            ++version_[y];
            bounds_.set(x, std::numeric_limits<double>::infinity());
            tell(y);
        }
    }

  private:
    std::vector<double> start(std::size_t n) {
        std::vector<double> bound(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto found = field_.nearest<PlainScale>(i);
            neighbour_[i] = found.slot;
            bound[i] = found.value;
            poll_();
        }
        return bound;
    }

    void search(std::size_t i) {
        const auto found = field_.nearest<PlainScale>(i);
        adopt(i, found.slot, found.value);
    }

    void adopt(std::size_t i, std::size_t other, double squared) {
        neighbour_[i] = other;
        seen_[i] = version_[other];
        bounds_.set(i, squared);
    }

    // The new cluster may be nearer to others than what they knew.
    void tell(std::size_t y) {
        CentroidField::Found own;
        field_.for_all(y, [&](std::size_t i, double squared) {
            if (squared < bounds_.at(i)) adopt(i, y, squared);
            if (squared < own.value) own = {i, squared};
        });
        if (own.slot != CentroidField::kNone) adopt(y, own.slot, own.value);
    }

    CentroidField& field_;
    Poll poll_;
    std::vector<std::size_t> neighbour_;
    std::vector<std::uint32_t> version_, seen_;
    Bounds bounds_;
};

const Register registered([](nb::module_& m) {
    m.def("centroid_linkage", [](Full<double> x, Input weight, const std::string& linkage, Result<std::int64_t> pair,
                                 Output height) {
        const std::size_t n = x.shape(0), d = x.shape(1);
        expect("weight", weight, n);
        expect("pair", pair, 2 * (n - 1));
        expect("height", height, n - 1);
        std::vector<double> points(x.data(), x.data() + n * d);
        const Merges merges{pair.data(), height.data()};
        const double* sizes = weight.data();
        call(1, [&](const Runtime& runtime) {
            CentroidField field(std::move(points), d, sizes);
            if (linkage == "ward")
                ward(field, merges, Poll(runtime));
            else
                Closest(field, n, Poll(runtime)).run(linkage == "median", merges);
        });
    }, nb::arg("x"), nb::arg("weight"), nb::arg("linkage"), nb::arg("pair"),
       nb::arg("height"));
});

}  // namespace
}  // namespace suffice
