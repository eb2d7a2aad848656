// What trees say of rows that they did not see.
#include "growth/draws.hpp"
#include "growth/forest.hpp"

namespace suffice {
namespace {

constexpr std::size_t kHeight = 1024;  // rows of a block

// The leaf of a row, by its number within the tree.
std::size_t leaf_of_row(const Forest& f, const ForestNode* tree, const double* row) {
    for (std::int32_t at = 0;;) {
        const ForestNode& node = tree[at];
        const std::int32_t next = node.left + !goes_left(f, node, row[node.column >> 2]);
        if (next == at) return static_cast<std::size_t>(at);
        at = next;
    }
}

struct Unseen {
    const std::uint8_t* bits;  // (trees, width): a bit a row, the lowest first
    std::size_t width;
    bool has(std::size_t t, std::size_t row) const { return bits[t * width + row / 8] >> (row & 7) & 1; }
};

void sum(const View<double>& x, const Forest& f, const double* value, std::size_t q, const Unseen& unseen, double* total,
         std::int64_t* count, const Runtime& runtime) {
    const std::size_t blocks = (x.rows + kHeight - 1) / kHeight;
    for_stripes(
        blocks, 40.0 * static_cast<double>(x.rows * f.trees), runtime,
        [&] { return std::vector<double>(kHeight * x.cols); },
        [&](std::size_t b, std::vector<double>& scratch) {
            const std::size_t begin = b * kHeight, end = std::min(x.rows, begin + kHeight);
            const double* rows = rows_as_double(x, begin, end - begin, scratch.data());
            for (std::size_t t = 0; t < f.trees; ++t) {
                const ForestNode* tree = f.nodes + f.starts[t];
                for (std::size_t i = begin; i < end; ++i) {
                    if (!unseen.has(t, i)) continue;
                    const std::size_t leaf = leaf_of_row(f, tree, rows + (i - begin) * x.cols);
                    const double* own = value + (static_cast<std::size_t>(f.starts[t]) + leaf) * q;
                    for (std::size_t c = 0; c < q; ++c) total[i * q + c] += own[c];
                    ++count[i];
                }
            }
        });
}

void add(nb::module_& m) {
    using Bytes = Vector<std::uint8_t>;
    m.def(
        "unseen_rows",
        [](const Codes& seeds, std::size_t drawn, bool replace, const Optional<Codes>& mass, std::size_t n,
           const Result<std::uint8_t>& out, int threads) {
            const std::size_t width = (n + 7) / 8;
            expect_draws(drawn, mass, n);
            expect("out", out, seeds.size() * width);
            call(threads, [&](const Runtime& runtime) {
                for_stripes(
                    seeds.size(), 5.0 * static_cast<double>(seeds.size() * n), runtime,
                    [] { return std::vector<std::int32_t>{}; },
                    [&](std::size_t t, std::vector<std::int32_t>& times) {
                        Sampling{drawn, replace, pointer(mass)}.fill(times, n, static_cast<std::uint64_t>(seeds.data()[t]));
                        std::uint8_t* own = out.data() + t * width;
                        std::fill_n(own, width, std::uint8_t{0});
                        for (std::size_t i = 0; i < n; ++i) own[i / 8] |= static_cast<std::uint8_t>((times[i] == 0) << (i & 7));
                    });
            });
        },
        nb::arg("seeds"), nb::arg("drawn"), nb::arg("replace"), nb::arg("mass").none(), nb::arg("n"), nb::arg("out"),
        nb::arg("threads"));
    m.def(
        "sum_out_of_bag",
        [](const Matrix<double>& x, const Bytes& nodes, const Codes& starts, const Vector<std::uint64_t>& sets,
           const Codes& words, const Full<double>& value, const Full<std::uint8_t>& unseen, const Output& total,
           const Result<std::int64_t>& count, int threads) {
            const Forest f = forest_of(x.shape(1), nodes, starts, sets, words);
            const std::size_t q = value.shape(1), width = (x.shape(0) + 7) / 8;
            if (value.shape(0) * sizeof(ForestNode) != nodes.size()) throw nb::value_error("nodes and their values differ in number");
            expect("unseen", unseen, f.trees * width);
            expect("total", total, x.shape(0) * q);
            expect("count", count, x.shape(0));
            call(threads, [&](const Runtime& runtime) {
                sum(view<double>(x), f, value.data(), q, {unseen.data(), width}, total.data(), count.data(), runtime);
            });
        },
        nb::arg("x"), nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"), nb::arg("value"),
        nb::arg("unseen"), nb::arg("total"), nb::arg("count"), nb::arg("threads"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
