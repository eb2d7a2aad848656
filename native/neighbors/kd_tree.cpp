// Searches in a k-d tree.
#include <nanobind/stl/string.h>

#include <memory>

#include "core/binding.hpp"
#include "neighbors/kd_build.hpp"
#include "neighbors/kd_line.hpp"
#include "neighbors/kd_tree.hpp"
#include "neighbors/neighbours.hpp"

namespace suffice {
namespace {

using Whole = Held<nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>>;

static_assert(sizeof(TreeNode) == 5 * sizeof(std::int64_t));

// A search for any term: a pointer is followed once a query, and what goes on around it is compiled once.
struct Search {
    virtual ~Search() = default;
    virtual void nearest(const double* point, TopK& list) const = 0;
    virtual void within(const double* point, double radius, std::vector<Neighbour>& found) const = 0;
};

template <class Term, std::size_t D>
class TermSearch final : public Search {
  public:
    TermSearch(const TreeView& tree, const Term& term) : search_(tree, term) {}
    void nearest(const double* point, TopK& list) const override { search_.nearest(point, list); }
    void within(const double* point, double radius, std::vector<Neighbour>& found) const override {
        search_.within(point, radius, found);
    }

  private:
    TreeSearch<Term, D> search_;
};

// Queries in the order of the leaves they lie in: neighbours need the same parts of the tree.
std::vector<std::uint32_t> in_leaf_order(const TreeView& tree, const double* queries, std::size_t m, const Runtime& runtime) {
    const std::size_t nodes = tree_nodes(tree.n);
    std::vector<std::uint32_t> leaf(m), order(m), start(nodes + 1);
    const Stripes stripes(m, 1024);
    reduce_stripes(
        stripes.count(), 100.0 * static_cast<double>(m), runtime, [] { return 0; },
        [&](std::size_t s, int&) {
            for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
                leaf[i] = static_cast<std::uint32_t>(leaf_of(tree, queries + i * tree.d));
        },
        [](std::size_t, int&) {});
    for (const std::uint32_t at : leaf) ++start[at + 1];
    for (std::size_t k = 0; k < nodes; ++k) start[k + 1] += start[k];
    for (std::size_t i = 0; i < m; ++i) order[start[leaf[i]]++] = static_cast<std::uint32_t>(i);
    return order;
}

double cost_of(const TreeView& tree, std::size_t queries) {
    return static_cast<double>(queries) * (500.0 + 20.0 * static_cast<double>(tree.d));
}

void nearest(const Search& search, const TreeView& tree, const double* queries, std::size_t m, std::size_t k, Lists out,
             const Runtime& runtime) {
    const std::vector<std::uint32_t> order = in_leaf_order(tree, queries, m, runtime);
    const Stripes stripes(m, 64);
    reduce_stripes(
        stripes.count(), cost_of(tree, m), runtime, [&] { return TopK(k); },
        [&](std::size_t s, TopK& list) {
            for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
                list.clear();
                search.nearest(queries + order[i] * tree.d, list);
                list.write(out.values + order[i] * k, out.rows + order[i] * k);
            }
        },
        [](std::size_t, TopK&) {});
}

Found within(const Search& search, const TreeView& tree, const double* queries, std::size_t m, double radius,
             std::size_t most, const Runtime& runtime) {
    return find_first(m, cost_of(tree, m), runtime, most, [&](std::size_t i, std::vector<Neighbour>& list) {
        search.within(queries + i * tree.d, radius, list);
    });
}

// The number of columns is known beforehand where that makes a search faster.
std::unique_ptr<Search> search_of(const TreeView& tree, const std::string& kind, double p) {
    auto known = [&](auto term) -> std::unique_ptr<Search> {
        using Term = decltype(term);
        if (tree.d == 2) return std::make_unique<TermSearch<Term, 2>>(tree, term);
        if (tree.d == 3) return std::make_unique<TermSearch<Term, 3>>(tree, term);
        return std::make_unique<TermSearch<Term, 0>>(tree, term);
    };
    if (kind == "squared") return known(Squared{});
    if (kind == "absolute") return known(Absolute{});
    if (kind == "largest") return known(Largest{});
    if (kind == "power") return std::make_unique<TermSearch<Power, 0>>(tree, Power{{}, p});
    throw std::invalid_argument("no tree for this kind of distance: " + kind);
}

TreeView view_of(const Full<double>& queries, const Whole& nodes, const Input& splits, const Input& boxes,
                 const Whole& rows, const Input& cells) {
    const std::size_t places = rows.size(), count = tree_nodes(places), d = queries.shape(1);
    expect("nodes", nodes, 5 * count);
    expect("splits", splits, count);
    expect("boxes", boxes, count * d * 2);
    expect("cells", cells, places * d);
    return {reinterpret_cast<const TreeNode*>(nodes.data()), splits.data(), boxes.data(), rows.data(), cells.data(),
            places, d};
}

const Register registered([](nb::module_& m) {
    m.def("kd_build", [](Full<double> x, int threads, Result<std::int64_t> nodes, Output splits, Output boxes,
                         Result<std::int64_t> rows, Output cells) {
        const std::size_t leaves = (x.shape(0) + kLeafRows - 1) / kLeafRows, count = tree_nodes(x.shape(0));
        expect("nodes", nodes, 5 * count);
        expect("splits", splits, count);
        expect("boxes", boxes, count * x.shape(1) * 2);
        expect("rows", rows, leaves * kLeafRows);
        expect("cells", cells, leaves * kLeafRows * x.shape(1));
        const TreeParts parts{reinterpret_cast<TreeNode*>(nodes.data()), splits.data(), boxes.data(), rows.data(),
                              cells.data(), x.shape(0), x.shape(1)};
        call(threads, [&](const Runtime& r) {
            if (parts.d == 1 && parts.n > 0) LineBuilder(x.data(), parts).build();
            else TreeBuilder(x.data(), parts).build(r);
        });
    }, nb::arg("x"), nb::arg("threads"), nb::arg("nodes"), nb::arg("splits"),
       nb::arg("boxes"), nb::arg("rows"), nb::arg("cells"));
    m.def("kd_nearest", [](Full<double> x, Whole nodes, Input splits, Input boxes, Whole rows, Input cells,
                           const std::string& kind, double p, std::size_t k, int threads, Output values,
                           Result<std::int64_t> found) {
        const TreeView tree = view_of(x, nodes, splits, boxes, rows, cells);
        const Lists out = lists_of(values, found, x.shape(0), k);
        const auto search = search_of(tree, kind, p);
        call(threads, [&](const Runtime& r) { nearest(*search, tree, x.data(), x.shape(0), k, out, r); });
    }, nb::arg("x"), nb::arg("nodes"), nb::arg("splits"), nb::arg("boxes"), nb::arg("rows"), nb::arg("cells"),
       nb::arg("kind"), nb::arg("p"), nb::arg("k"), nb::arg("threads"), nb::arg("values"),
       nb::arg("found"));
    m.def("kd_within", [](Full<double> x, Whole nodes, Input splits, Input boxes, Whole rows, Input cells,
                          const std::string& kind, double p, double radius, std::size_t most, int threads) {
        const TreeView tree = view_of(x, nodes, splits, boxes, rows, cells);
        const auto search = search_of(tree, kind, p);
        return to_python(call(
            threads, [&](const Runtime& r) { return within(*search, tree, x.data(), x.shape(0), radius, most, r); }));
    }, nb::arg("x"), nb::arg("nodes"), nb::arg("splits"), nb::arg("boxes"), nb::arg("rows"), nb::arg("cells"),
       nb::arg("kind"), nb::arg("p"), nb::arg("radius"), nb::arg("most"), nb::arg("threads"));
});

}  // namespace
}  // namespace suffice
