// The k nearest rows so far; of equally near ones those that come first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace suffice {

struct Neighbour {
    double value;
    std::int64_t row;

    bool operator<(const Neighbour& other) const {
        return value < other.value || (value == other.value && row < other.row);
    }
};

class TopK {
  public:
    explicit TopK(std::size_t k) : k_(k) { heap_.reserve(k); }

    void clear() {
        heap_.clear();
        worst_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
    }

    // What a row must beat to come in.
    const Neighbour& worst() const { return worst_; }

    void offer(double value, std::int64_t row) {
        const Neighbour found{value, row};
        if (!(found < worst_)) return;
        if (heap_.size() < k_) {
            heap_.push_back(found);
            std::push_heap(heap_.begin(), heap_.end());
        } else {
            replace_top(found);
        }
        if (heap_.size() == k_) worst_ = heap_.front();
    }

    // Nearest first; where fewer than k were offered, the rest is infinitely far and has no row.
    void write(double* values, std::int64_t* rows) {
        std::sort_heap(heap_.begin(), heap_.end());
        for (std::size_t i = 0; i < k_; ++i) {
            const bool there = i < heap_.size();
            values[i] = there ? heap_[i].value : std::numeric_limits<double>::infinity();
            rows[i] = there ? heap_[i].row : -1;
        }
    }

  private:
    void replace_top(const Neighbour& found) {
        std::size_t at = 0;
        for (std::size_t child = 1; child < k_; child = 2 * at + 1) {
            if (child + 1 < k_ && heap_[child] < heap_[child + 1]) ++child;
            if (!(found < heap_[child])) break;
            heap_[at] = heap_[child];
            at = child;
        }
        heap_[at] = found;
    }

    std::size_t k_;
    std::vector<Neighbour> heap_;
    Neighbour worst_{std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
};

}  // namespace suffice
