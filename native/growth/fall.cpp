// Rows fall through trees to their leaves.
//
// Several rows of a block fall side by side, a step each, until all of them lie still: the memory that one waits for is
// that of the others' work. Many rows fall through one tree before the next, whose nodes stay near meanwhile.
#include <type_traits>
#include <utility>

#include "core/owned.hpp"
#include "growth/coded_forest.hpp"
#include "growth/forest.hpp"
#include "growth/leaf_kinds.hpp"

namespace suffice {
namespace {

// A number that compilers do not put side by side with others: a row's own registers are faster than lanes filled by hand.
template <class T>
T in_register(T x) {
#if defined(__GNUC__)
    asm("" : "+r"(x));
#endif
    return x;
}

// step(s, node) is the node after that one on the way of row s of some that fall side by side, s known when compiled: all
// that does not depend on the node is then part of an address.
template <std::size_t kRows, class Step>
void fall_side_by_side(const Step& step, std::int32_t* leaf) {
    [&]<std::size_t... s>(std::index_sequence<s...>) {
        std::int32_t at[kRows] = {};
        std::int32_t moved;
        do {
            ((at[s] = step(std::integral_constant<std::size_t, s>{}, at[s])), ...);
            moved = 0;
            const auto again = [&](auto row) {
                const std::int32_t next = step(row, at[row]);
                moved |= next ^ at[row];
                at[row] = next;
            };
            (again(std::integral_constant<std::size_t, s>{}), ...);
        } while (moved);
        ((leaf[s] = at[s]), ...);
    }(std::make_index_sequence<kRows>{});
}

// from(first) gives the steps of rows from that one on.
template <class From>
void fall(std::size_t count, const From& from, std::int32_t* leaf) {
    std::size_t first = 0;
    for (; first + kSide <= count; first += kSide) fall_side_by_side<kSide>(from(first), leaf + first);
    if (first < count && count >= kSide)
        fall_side_by_side<kSide>(from(count - kSide), leaf + count - kSide);  // some of them once more
    else
        for (; first < count; ++first) fall_side_by_side<1>(from(first), leaf + first);
}

struct Scratch {
    std::vector<double> rows;
    std::vector<std::uint8_t> codes;  // of one byte or two
    std::vector<std::int32_t> leaf;
};

// Rows as they are, or their codes where the forest has them.
template <class T>
class Block {
public:
    Block(const View<T>& x, const Forest& f, const CodedForest& coded, std::size_t begin, std::size_t count, Scratch& own)
        : f_(f), coded_(coded), d_(x.cols), count_(count), codes_(own.codes.data()) {
        if (coded && coded.narrow) coded.code_rows<NarrowNode>(x, begin, count, own.codes.data());
        else if (coded) coded.code_rows<WideNode>(x, begin, count, reinterpret_cast<WideNode::Code*>(own.codes.data()));
        else rows_ = rows_as_double(x, begin, count, own.rows.data());
    }

    void fall_through(std::size_t t, bool sets, std::int32_t* leaf) const {
        const auto start = static_cast<std::size_t>(f_.starts[t]);
        const ForestNode* tree = f_.nodes + start;
        if (coded_) {
            if (coded_.narrow) fall_by_codes<NarrowNode>(start, leaf);
            else fall_by_codes<WideNode>(start, leaf);
        } else if (sets) {
            fall(count_, [this, tree](std::size_t first) {
                return [this, tree, row = rows_ + first * d_](std::size_t s, std::int32_t at) {
                    const ForestNode& node = tree[at];
                    return node.left + !goes_left(f_, node, row[s * d_ + (node.column >> 2)]);
                };
            }, leaf);
        } else {
            fall(count_, [tree, rows = rows_, d = d_](std::size_t first) {
                return [tree, row = rows + first * d, d](std::size_t s, std::int32_t at) {
                    const ForestNode& node = tree[at];
                    const double x = row[s * d + (node.column >> 2)];
                    // No branches: where rows go is what cannot be foretold.
                    const int missing_left = std::isnan(x) & static_cast<int>(node.column & kMissingLeft);
                    return node.left + (1 ^ (static_cast<int>(x <= node.threshold) | missing_left));
                };
            }, leaf);
        }
    }

private:
    template <class Node>
    void fall_by_codes(std::size_t start, std::int32_t* leaf) const {
        const auto* tree = reinterpret_cast<const typename Node::Bits*>(coded_.nodes) + start;
        const auto* codes = reinterpret_cast<const typename Node::Code*>(codes_);
        for (std::size_t first = 0; first < count_; first += kSide) {
            const auto* low = codes + first * 2 * d_;
            const auto* high = low + (kSide - Node::kLanes) * 2 * d_;  // the last lanes, which may be the first
            const auto step = [tree, low, high](auto s, std::int32_t at) {
                const auto node = in_register(tree[static_cast<std::uint32_t>(at)]);
                const auto* own = (s < Node::kLanes ? low : high) + s % Node::kLanes;
                const std::int32_t left = in_register(Node::left(node));  // before the comparison, whose carry is added to it
                return left + static_cast<std::int32_t>(own[Node::kLanes * Node::look(node)] > Node::code(node));
            };
            fall_side_by_side<kSide>(step, leaf + first);
        }
    }

    const Forest& f_;
    const CodedForest& coded_;
    std::size_t d_, count_;
    const std::uint8_t* codes_;
    const double* rows_ = nullptr;
};

constexpr std::size_t kGroup = 8;  // trees whose leaves are used at once

// The leaves of some rows in some trees.
struct Found {
    std::size_t tree, trees, begin, count;
    const std::int32_t* leaf;  // (trees, stride)
    std::size_t stride;
};

// Calls use(found) for some trees after the others.
template <class T, class Use>
void for_leaves(const View<T>& x, const Forest& f, const CodedForest& coded, bool sets, const Runtime& runtime, Use use) {
    const auto shares = static_cast<std::size_t>(4 * std::max(1, runtime.threads));
    const std::size_t height = std::clamp<std::size_t>((x.rows + shares - 1) / shares, 256, 8192);
    const std::size_t blocks = (x.rows + height - 1) / height;
    const std::size_t held = (std::min(height, x.rows) + kSide - 1) / kSide * kSide;
    for_stripes(
        blocks, 20.0 * static_cast<double>(x.rows * f.trees), runtime,
        [&] {
            const std::size_t cells = held * x.cols;
            return Scratch{std::vector<double>(coded ? 0 : cells),
                           std::vector<std::uint8_t>(coded ? held * coded.bytes_of_row(x.cols) : 0),
                           std::vector<std::int32_t>(std::min(kGroup, f.trees) * held)};
        },
        [&](std::size_t b, Scratch& own) {
            const std::size_t begin = b * height, count = std::min(height, x.rows - begin);
            const Block<T> block(x, f, coded, begin, count, own);
            for (std::size_t t = 0; t < f.trees; t += kGroup) {
                const std::size_t trees = std::min(kGroup, f.trees - t);
                for (std::size_t g = 0; g < trees; ++g) block.fall_through(t + g, sets, own.leaf.data() + g * held);
                use(Found{t, trees, begin, count, own.leaf.data(), held});
            }
        });
}

// What nodes say: each its own, or, where `kind` is not null, what nodes of its kind say.
struct Said {
    const double* value;        // (nodes, q), or (kinds, q)
    const std::uint16_t* kind;  // (nodes), or null
};

// Adds what the leaves of rows say to what those of the trees before said; of one number or two, q is known beforehand.
template <std::size_t kNumbers, bool kKinds>
void add_values(const Found& found, const Forest& f, const Said& all, std::size_t q, double* out) {
    const std::size_t numbers = kNumbers ? kNumbers : q;
    double* to = out + found.begin * numbers;
    if (found.tree == 0) std::fill_n(to, found.count * numbers, 0.0);
    for (std::size_t g = 0; g < found.trees; ++g) {
        const auto first = static_cast<std::size_t>(f.starts[found.tree + g]);
        const std::int32_t* leaf = found.leaf + g * found.stride;
        for (std::size_t i = 0; i < found.count; ++i) {
            const std::size_t node = first + static_cast<std::size_t>(leaf[i]);
            const double* said = all.value + (kKinds ? all.kind[node] : node) * numbers;
            for (std::size_t c = 0; c < numbers; ++c) to[i * numbers + c] += said[c];
        }
    }
}

void write_leaves(const Found& found, std::size_t trees, std::int64_t* out) {
    std::int64_t* to = out + found.begin * trees + found.tree;
    for (std::size_t i = 0; i < found.count; ++i)
        for (std::size_t g = 0; g < found.trees; ++g) to[i * trees + g] = found.leaf[g * found.stride + i];
}

template <bool kKinds>
auto adding(std::size_t q) {
    return q == 1 ? add_values<1, kKinds> : q == 2 ? add_values<2, kKinds> : add_values<0, kKinds>;
}

using Bytes = Vector<std::uint8_t>;
using Words = Vector<std::uint64_t>;
using Edges = Optional<Vector<double>>;

// Codes of nodes, if there are any, with lengths that fit.
CodedForest coded_of(const Forest& f, std::size_t columns, const Optional<Bytes>& nodes, const Edges& edges,
                     const Optional<Codes>& starts) {
    if (!nodes || !edges || !starts) return {nullptr, false, nullptr, nullptr};
    const auto all = static_cast<std::size_t>(f.starts[f.trees]);
    expect_aligned<WideNode::Bits>("coded", *nodes);
    const bool narrow = nodes->size() == all * sizeof(NarrowNode::Bits);
    if (!narrow) expect("coded", nodes, all * sizeof(WideNode::Bits));
    expect_starts("edge_starts", *starts, columns, edges->size());
    return {pointer(nodes), narrow, pointer(edges), pointer(starts)};
}

template <class T>
void define(nb::module_& m) {
    m.def(
        "fall_to_leaves",
        [](const Matrix<T>& x, const Bytes& nodes, const Codes& starts, const Words& sets, const Codes& words,
           const Optional<Bytes>& coded, const Edges& edges, const Optional<Codes>& edge_starts,
           const Result<std::int64_t>& out, int threads) {
            const Forest f = forest_of(x.shape(1), nodes, starts, sets, words);
            const CodedForest codes = coded_of(f, x.shape(1), coded, edges, edge_starts);
            expect("out", out, x.shape(0) * f.trees);
            call(threads, [&](const Runtime& runtime) {
                for_leaves(view<T>(x), f, codes, sets.size() > 0, runtime,
                           [&](const Found& found) { write_leaves(found, f.trees, out.data()); });
            });
        },
        nb::arg("x"), nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"), nb::arg("coded").none(),
        nb::arg("edges").none(), nb::arg("edge_starts").none(), nb::arg("out"), nb::arg("threads"));
    m.def(
        "sum_of_leaves",
        [](const Matrix<T>& x, const Bytes& nodes, const Codes& starts, const Words& sets, const Codes& words,
           const Optional<Bytes>& coded, const Edges& edges, const Optional<Codes>& edge_starts,
           const Full<double>& value, const Optional<Vector<std::uint16_t>>& kind, const Output& out, int threads) {
            const Forest f = forest_of(x.shape(1), nodes, starts, sets, words);
            const CodedForest codes = coded_of(f, x.shape(1), coded, edges, edge_starts);
            const std::size_t q = value.shape(1);
            const auto all = static_cast<std::size_t>(f.starts[f.trees]);
            expect("kind", kind, all);
            if (!kind && value.shape(0) != all) throw nb::value_error("nodes and their values differ in number");
            expect("out", out, x.shape(0) * q);
            call(threads, [&](const Runtime& runtime) {
                const auto add = kind ? adding<true>(q) : adding<false>(q);
                const Said said{value.data(), pointer(kind)};
                for_leaves(view<T>(x), f, codes, sets.size() > 0, runtime,
                           [&](const Found& found) { add(found, f, said, q, out.data()); });
            });
        },
        nb::arg("x"), nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"), nb::arg("coded").none(),
        nb::arg("edges").none(), nb::arg("edge_starts").none(), nb::arg("value"), nb::arg("kind").none(), nb::arg("out"),
        nb::arg("threads"));
}

void add(nb::module_& m) {
    define<double>(m);
    define<float>(m);
    m.def(
        "expect_forest",
        [](const Bytes& nodes, const Codes& starts, const Words& sets, const Codes& words) {
            const Forest f = forest_of(words.size(), nodes, starts, sets, words);
            expect_sound(f, words.size(), sets.size());
        },
        nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"));
    m.def(
        "code_forest",
        [](const Bytes& nodes, const Codes& starts, const Words& sets, const Codes& words, int threads) {
            const Forest f = forest_of(words.size(), nodes, starts, sets, words);
            auto found = call(threads, [&](const Runtime& runtime) { return coded(f, words.size(), runtime); });
            return nb::make_tuple(owned(std::move(found.nodes)), owned(std::move(found.edges)), owned(std::move(found.starts)));
        },
        nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"), nb::arg("threads"));
    m.def(
        "leaf_kinds",
        [](const Bytes& nodes, const Codes& starts, const Words& sets, const Codes& words, const Full<double>& value) {
            const Forest f = forest_of(words.size(), nodes, starts, sets, words);
            if (value.shape(0) != static_cast<std::size_t>(f.starts[f.trees]) || value.shape(1) == 0)
                throw nb::value_error("nodes and their values differ in number");
            auto found = leaf_kinds(f, value.data(), value.shape(1));
            return nb::make_tuple(owned(std::move(found.kind)), owned(std::move(found.said)));
        },
        nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"), nb::arg("value"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
