// How the k-d tree of one column is built: its rows are sorted once, and every node is a piece of them. The tree is the
// one that `TreeBuilder` makes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "neighbors/kd_tree.hpp"

namespace suffice {

// Numbers with their places, sorted; equal ones stay in the order of their places. By digits of their bits, which rise
// with the numbers once those below 0 are turned over.
class SortedLine {
    static constexpr int kDigit = 11, kDigits = 6;
    static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

    struct Item {
        std::uint64_t key;
        std::int64_t place;
    };

    static std::uint64_t key_of(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
        return bits & kSign ? ~bits : bits | kSign;
    }

  public:
    std::vector<double> values;
    std::vector<std::int64_t> places;

    SortedLine(const double* points, std::size_t n) : values(n), places(n) {
        std::vector<Item> items(n), other(n);
        for (std::size_t i = 0; i < n; ++i) items[i] = {key_of(points[i]), static_cast<std::int64_t>(i)};
        for (int digit = 0; digit < kDigits; ++digit)
            if (sort_by(items, other, digit * kDigit)) items.swap(other);
        for (std::size_t i = 0; i < n; ++i) {
            places[i] = items[i].place;
            values[i] = points[items[i].place];
        }
    }

  private:
    // False where all have the same digit, and nothing was moved.
    static bool sort_by(const std::vector<Item>& from, std::vector<Item>& to, int shift) {
        constexpr std::size_t kValues = std::size_t{1} << kDigit;
        std::vector<std::size_t> next(kValues);
        for (const Item& item : from) ++next[item.key >> shift & (kValues - 1)];
        if (std::find(next.begin(), next.end(), from.size()) != next.end()) return false;
        std::size_t before = 0;
        for (std::size_t& count : next) before += std::exchange(count, before);
        for (const Item& item : from) to[next[item.key >> shift & (kValues - 1)]++] = item;
        return true;
    }
};

class LineBuilder {
  public:
    LineBuilder(const double* points, TreeParts out) : points_(points), out_(out), line_(points, out.n) {}

    void build() { make(0, 0, out_.n); }

  private:
    // The node of the rows from `from` to `to` of the line and all below it; gives the least row.
    std::int64_t make(std::size_t at, std::size_t from, std::size_t to) {
        TreeNode& node = out_.nodes[at];
        node = {static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), 0, 0, 0};
        out_.boxes[2 * at] = line_.values[from];
        out_.boxes[2 * at + 1] = line_.values[to - 1];
        if (to - from <= kLeafRows) return node.first_row = leaf(from, to);
        const std::size_t middle = tree_middle(from, to), right = at + 1 + tree_nodes(middle - from);
        out_.splits[at] = line_.values[middle];
        node.right = static_cast<std::int64_t>(right);
        const std::int64_t first = make(at + 1, from, middle);
        return node.first_row = std::min(first, make(right, middle, to));
    }

    // Rows stand in their order.
    std::int64_t leaf(std::size_t from, std::size_t to) {
        std::sort(line_.places.begin() + static_cast<std::ptrdiff_t>(from),
                  line_.places.begin() + static_cast<std::ptrdiff_t>(to));
        for (std::size_t c = 0; c < kLeafRows; ++c) {
            const bool there = from + c < to;
            out_.rows[from + c] = there ? line_.places[from + c] : -1;
            out_.cells[from + c] = points_[line_.places[there ? from + c : from]];
        }
        return line_.places[from];
    }

    const double* points_;
    TreeParts out_;
    SortedLine line_;
};

}  // namespace suffice
