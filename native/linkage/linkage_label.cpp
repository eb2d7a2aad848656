// From merges of pairs of rows, in their order, to numbered clusters, and from a tree that is cut to labels of its rows.
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

// The clusters that contain a row, joined one by one; paths are halved on the way.
class Clusters {
  public:
    explicit Clusters(std::size_t n) : parent_(2 * n - 1), next_(static_cast<std::int64_t>(n)) {
        for (std::size_t i = 0; i < parent_.size(); ++i) parent_[i] = static_cast<std::int64_t>(i);
    }
    std::int64_t of(std::int64_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(std::int64_t a, std::int64_t b) { parent_[a] = parent_[b] = next_++; }

  private:
    std::vector<std::int64_t> parent_;
    std::int64_t next_;
};

// Labels in the order in which clusters first turn up. A merge that is kept has all merges below it kept.
void cut(const std::int64_t* children, const std::uint8_t* is_kept, std::size_t n, std::int64_t* labels) {
    constexpr std::int64_t kNone = -1;
    std::vector<std::int64_t> top(2 * n - 1, kNone), number(2 * n - 1, kNone);
    for (std::size_t k = n - 1; k-- > 0;) {
        if (!is_kept[k]) continue;
        const std::size_t node = n + k;
        if (top[node] == kNone) top[node] = static_cast<std::int64_t>(node);
        top[static_cast<std::size_t>(children[2 * k])] = top[static_cast<std::size_t>(children[2 * k + 1])] = top[node];
    }
    std::int64_t next = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t own = top[i] == kNone ? i : static_cast<std::size_t>(top[i]);
        if (number[own] == kNone) number[own] = next++;
        labels[i] = number[own];
    }
}

const Register registered([](nb::module_& m) {
    m.def("tree_sums", [](Codes children, Output values) {
        expect("children", children, values.size() - 1);
        const std::int64_t* below = children.data();
        double* sum = values.data();
        const std::size_t n = (values.size() + 1) / 2;  // leaves, whose values are there already
        expect_below("children", children, values.size());
        for (std::size_t k = 0; k + 1 < n; ++k) sum[n + k] = sum[below[2 * k]] + sum[below[2 * k + 1]];
    }, nb::arg("children"), nb::arg("values"));

    m.def("tree_cut", [](Codes children, Result<std::uint8_t> is_kept, Result<std::int64_t> labels) {
        const std::size_t n = labels.size();
        expect("children", children, 2 * (n - 1));
        expect_below("children", children, 2 * n - 1);
        expect("is_kept", is_kept, n - 1);
        call(1, [&](const Runtime&) { cut(children.data(), is_kept.data(), n, labels.data()); });
    }, nb::arg("children"), nb::arg("is_kept"), nb::arg("labels"));

    m.def("linkage_label", [](Codes pair, std::size_t n, Result<std::int64_t> children) {
        expect("pair", pair, 2 * (n - 1));
        expect_below("pair", pair, n);
        expect("children", children, 2 * (n - 1));
        const std::int64_t* rows = pair.data();
        std::int64_t* out = children.data();
        call(1, [&](const Runtime&) {
            Clusters clusters(n);
            for (std::size_t k = 0; k + 1 < n; ++k) {
                const std::int64_t a = clusters.of(rows[2 * k]), b = clusters.of(rows[2 * k + 1]);
                out[2 * k] = std::min(a, b);
                out[2 * k + 1] = std::max(a, b);
                clusters.join(a, b);
            }
        });
    }, nb::arg("pair"), nb::arg("n"), nb::arg("children"));
});

}  // namespace
}  // namespace suffice
