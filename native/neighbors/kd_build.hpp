// How a k-d tree is built: every level copies the rows of its nodes to where they belong in the next, in order, so that
// memory is read and written one after the other and rows of a node stay sorted by number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "neighbors/kd_tree.hpp"

namespace suffice {

// The value of some rank among many, the same whatever the way.
class RankedValue {
    static constexpr std::size_t kMany = 1024, kSample = 256, kMargin = 24;

  public:
    std::vector<double> values;

    // Orders `values` anew.
    double at(std::size_t rank) {
        const Band band = values.size() < kMany ? Band{} : narrow(rank);
        if (band.below <= rank && rank < band.below + band.count) return nth(band_.data(), band.count, rank - band.below);
        return nth(values.data(), values.size(), rank);
    }

  private:
    struct Band {
        std::size_t below = 0, count = 0;  // values below it and in it
    };

    static double nth(double* from, std::size_t count, std::size_t rank) {
        std::nth_element(from, from + rank, from + count);
        return from[rank];
    }

    // Gathers the values about that rank, as a sample tells it.
    Band narrow(std::size_t rank) {
        double sample[kSample];
        const std::size_t n = values.size(), step = n / kSample, about = std::min(kSample - 1, rank * kSample / n);
        for (std::size_t i = 0; i < kSample; ++i) sample[i] = values[i * step];
        std::sort(sample, sample + kSample);
        const double least = sample[about - std::min(about, kMargin)], most = sample[std::min(kSample - 1, about + kMargin)];
        if (band_.size() < n) band_.resize(n);
        Band band;
        for (const double value : values) {
            band_[band.count] = value;
            band.count += static_cast<std::size_t>(value >= least) & static_cast<std::size_t>(value <= most);
            band.below += static_cast<std::size_t>(value < least);
        }
        return band;
    }

    std::vector<double> band_;
};

class TreeBuilder {
  public:
    TreeBuilder(const double* points, TreeParts out)
        : points_(points), out_(out), copy_{Copy(out.n, out.d), Copy(out.n, out.d)} {
        std::iota(copy_[1].ids.get(), copy_[1].ids.get() + out.n, std::int64_t{0});
    }

    void build(const Runtime& runtime) {
        std::vector<Task> level{{0, 0, out_.n, 0}};
        while (level.size() < kTasks && level.front().to - level.front().from > kSmall) level = halved(level, runtime);
        for_stripes(level.size(), 200.0 * static_cast<double>(out_.n), runtime, [] { return RankedValue(); },
                    [&](std::size_t t, RankedValue& scratch) { finish(level[t], scratch); });
        for (std::size_t k = tree_nodes(out_.n); k-- > 0;)
            if (out_.nodes[k].right != 0)
                out_.nodes[k].first_row = std::min(out_.nodes[k + 1].first_row, out_.nodes[out_.nodes[k].right].first_row);
    }

  private:
    static constexpr std::size_t kTasks = 64, kSmall = 4096;  // nodes left to threads, and rows not worth one

    // A node to be made; its rows stand in the copy that its depth says.
    struct Task {
        std::size_t node, from, to, depth;
    };

    struct Copy {
        std::unique_ptr<double[]> rows;
        std::unique_ptr<std::int64_t[]> ids;
        Copy(std::size_t n, std::size_t d) : rows(new double[n * d]), ids(new std::int64_t[n]) {}
    };

    const double* rows_at(std::size_t depth) const { return depth == 0 ? points_ : copy_[(depth + 1) % 2].rows.get(); }
    const std::int64_t* ids_at(std::size_t depth) const { return copy_[(depth + 1) % 2].ids.get(); }

    std::vector<Task> halved(const std::vector<Task>& level, const Runtime& runtime) {
        std::vector<Task> next(2 * level.size());
        for_stripes(level.size(), 20.0 * static_cast<double>(out_.n), runtime, [] { return RankedValue(); },
                    [&](std::size_t t, RankedValue& scratch) {
                        split(level[t], scratch);
                        next[2 * t] = left_of(level[t]);
                        next[2 * t + 1] = right_of(level[t]);
                    });
        return next;
    }

    // The node and all below it.
    void finish(const Task& task, RankedValue& scratch) {
        if (!split(task, scratch)) return;
        finish(left_of(task), scratch);
        finish(right_of(task), scratch);
    }

    static std::size_t middle_of(const Task& task) {
        return tree_middle(task.from, task.to);
    }
    static Task left_of(const Task& task) { return {task.node + 1, task.from, middle_of(task), task.depth + 1}; }
    static Task right_of(const Task& task) {
        const std::size_t middle = middle_of(task);
        return {task.node + 1 + tree_nodes(middle - task.from), middle, task.to, task.depth + 1};
    }

    // Makes a node; false for a leaf, which has nothing below.
    bool split(const Task& task, RankedValue& scratch) {
        TreeNode& node = out_.nodes[task.node];
        node = {static_cast<std::int64_t>(task.from), static_cast<std::int64_t>(task.to), 0, 0, 0};
        const std::size_t j = set_box(task), d = out_.d, count = task.to - task.from;
        if (count <= kLeafRows) {
            finish_leaf(node, task);
            return false;
        }
        const double* column = rows_at(task.depth) + task.from * d + j;
        scratch.values.resize(count);
        for (std::size_t i = 0; i < count; ++i) scratch.values[i] = column[i * d];
        const double value = scratch.at(middle_of(task) - task.from);
        out_.splits[task.node] = value;
        node.column = static_cast<std::int64_t>(j);
        node.right = static_cast<std::int64_t>(right_of(task).node);
        part(task, j, value);
        return true;
    }

    // Copies the rows below the value, and as many of those at it as there is place for, before the others.
    void part(const Task& task, std::size_t j, double value) {
        const std::size_t d = out_.d, middle = middle_of(task);
        const double* rows = rows_at(task.depth);
        const std::int64_t* ids = ids_at(task.depth);
        Copy& next = copy_[task.depth % 2];
        std::size_t place = middle - task.from, to[2] = {middle, task.from};
        for (std::size_t i = task.from; i < task.to; ++i) place -= static_cast<std::size_t>(rows[i * d + j] < value);
        for (std::size_t i = task.from; i < task.to; ++i) {
            const double* row = rows + i * d;
            bool is_left = row[j] < value;
            if (row[j] == value && place > 0) {
                is_left = true;
                --place;
            }
            const std::size_t at = to[is_left]++;
            next.ids[at] = ids[i];
            for (std::size_t c = 0; c < d; ++c) next.rows[at * d + c] = row[c];
        }
    }

    // Gives the widest column.
    std::size_t set_box(const Task& task) {
        const std::size_t d = out_.d;
        double* box = out_.boxes + task.node * 2 * d;
        for (std::size_t j = 0; j < d; ++j) {
            box[2 * j] = std::numeric_limits<double>::infinity();
            box[2 * j + 1] = -box[2 * j];
        }
        const double* row = rows_at(task.depth) + task.from * d;
        for (std::size_t i = task.from; i < task.to; ++i, row += d)
            for (std::size_t j = 0; j < d; ++j) {
                box[2 * j] = std::min(box[2 * j], row[j]);
                box[2 * j + 1] = std::max(box[2 * j + 1], row[j]);
            }
        std::size_t widest = 0;
        for (std::size_t j = 1; j < d; ++j)
            if (box[2 * j + 1] - box[2 * j] > box[2 * widest + 1] - box[2 * widest]) widest = j;
        return widest;
    }

    void finish_leaf(TreeNode& node, const Task& task) {
        const std::int64_t* ids = ids_at(task.depth);
        const double* rows = rows_at(task.depth);
        node.first_row = ids[task.from];
        double* cells = out_.cells + task.from * out_.d;
        for (std::size_t c = 0; c < kLeafRows; ++c) {
            const bool there = task.from + c < task.to;
            out_.rows[task.from + c] = there ? ids[task.from + c] : -1;
            const double* row = rows + (there ? task.from + c : task.from) * out_.d;
            for (std::size_t j = 0; j < out_.d; ++j) cells[j * kLeafRows + c] = row[j];
        }
    }

    const double* points_;
    TreeParts out_;
    Copy copy_[2];
};

}  // namespace suffice
