// Rows fall through trees to their leaves.
//
// Several rows of a block fall side by side, a step each, until all of them lie still: the memory that one waits for is
// that of the others' work.
#include "growth/forest.hpp"

namespace suffice {
namespace {

constexpr std::size_t kSide = 8;  // rows that fall side by side

template <bool kSets>
void fall(const Forest& f, const ForestNode* tree, const double* rows, std::size_t d, std::size_t count, std::int32_t* leaf) {
    for (std::size_t first = 0; first < count; first += kSide) {
        const std::size_t side = std::min(kSide, count - first);
        std::int32_t at[kSide] = {};
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t s = 0; s < side; ++s) {
                const ForestNode& node = tree[at[s]];
                const double x = rows[(first + s) * d + (node.column >> 2)];
                bool left;
                if constexpr (kSets) left = goes_left(f, node, x);
                else left = x <= node.threshold || (std::isnan(x) && (node.column & kMissingLeft));
                const std::int32_t next = node.left + !left;
                moved |= next != at[s];
                at[s] = next;
            }
        }
        std::copy_n(at, side, leaf + first);
    }
}

// Calls use(tree, first row, leaves of the block's rows) for every tree in turn.
template <class T, class Use>
void for_leaves(const View<T>& x, const Forest& f, bool sets, const Runtime& runtime, Use use) {
    // Many rows at once, so that the nodes of a tree stay near while they fall through it.
    const std::size_t height = std::clamp<std::size_t>(x.rows / 16, 512, 8192);
    const std::size_t blocks = (x.rows + height - 1) / height;
    struct Scratch {
        std::vector<double> rows;
        std::vector<std::int32_t> leaf;
    };
    for_stripes(
        blocks, 40.0 * static_cast<double>(x.rows * f.trees), runtime,
        [&] { return Scratch{std::vector<double>(height * x.cols), std::vector<std::int32_t>(height)}; },
        [&](std::size_t b, Scratch& own) {
            const std::size_t begin = b * height, count = std::min(height, x.rows - begin);
            const double* rows = rows_as_double(x, begin, count, own.rows.data());
            for (std::size_t t = 0; t < f.trees; ++t) {
                const ForestNode* tree = f.nodes + f.starts[t];
                if (sets) fall<true>(f, tree, rows, x.cols, count, own.leaf.data());
                else fall<false>(f, tree, rows, x.cols, count, own.leaf.data());
                use(t, begin, count, own.leaf.data());
            }
        });
}

template <class T>
void define(nb::module_& m) {
    using Bytes = Vector<std::uint8_t>;
    m.def(
        "fall_to_leaves",
        [](const Matrix<T>& x, const Bytes& nodes, const Codes& starts, const Vector<std::uint64_t>& sets,
                 const Codes& words, const Result<std::int32_t>& out, int threads) {
            const Forest f = forest_of(x.shape(1), nodes, starts, sets, words);
            expect("out", out, x.shape(0) * f.trees);
            call(threads, [&](const Runtime& runtime) {
                for_leaves(view<T>(x), f, sets.size() > 0, runtime,
                           [&](std::size_t t, std::size_t begin, std::size_t count, const std::int32_t* leaf) {
                               for (std::size_t i = 0; i < count; ++i) out.data()[(begin + i) * f.trees + t] = leaf[i];
                           });
            });
        },
        nb::arg("x"), nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"), nb::arg("out"),
        nb::arg("threads"));
    m.def(
        "sum_of_leaves",
        [](const Matrix<T>& x, const Bytes& nodes, const Codes& starts, const Vector<std::uint64_t>& sets,
                 const Codes& words, const Full<double>& value, const Output& out, int threads) {
            const Forest f = forest_of(x.shape(1), nodes, starts, sets, words);
            const std::size_t q = value.shape(1);
            if (value.shape(0) * sizeof(ForestNode) != nodes.size()) throw nb::value_error("nodes and their values differ in number");
            expect("out", out, x.shape(0) * q);
            call(threads, [&](const Runtime& runtime) {
                for_leaves(view<T>(x), f, sets.size() > 0, runtime,
                           [&](std::size_t t, std::size_t begin, std::size_t count, const std::int32_t* leaf) {
                               const double* own = value.data() + static_cast<std::size_t>(f.starts[t]) * q;
                               double* to = out.data() + begin * q;
                               for (std::size_t i = 0; i < count; ++i)
                                   for (std::size_t c = 0; c < q; ++c)
                                       to[i * q + c] += own[static_cast<std::size_t>(leaf[i]) * q + c];
                           });
            });
        },
        nb::arg("x"), nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"), nb::arg("value"),
        nb::arg("out"), nb::arg("threads"));
}

void add(nb::module_& m) {
    define<double>(m);
    define<float>(m);
}

const Register registered(add);

}  // namespace
}  // namespace suffice
