// Lower bounds of which the least is wanted again and again.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace suffice {

// Slots in a binary heap by their bounds, the least on top.
class Bounds {
  public:
    explicit Bounds(std::vector<double> bound) : bound_(std::move(bound)), place_(bound_.size()), heap_(bound_.size()) {
        for (std::size_t i = 0; i < heap_.size(); ++i) place_[i] = heap_[i] = i;
        for (std::size_t p = heap_.size() / 2; p-- > 0;) down(p);
    }
    double at(std::size_t i) const { return bound_[i]; }
    std::size_t least() const { return heap_.front(); }
    void set(std::size_t i, double value) {
        const bool falls = value < bound_[i];
        bound_[i] = value;
        falls ? up(place_[i]) : down(place_[i]);
    }
    void remove_least() {
        swap(0, heap_.size() - 1);
        heap_.pop_back();
        down(0);
    }

  private:
    bool before(std::size_t p, std::size_t q) const { return bound_[heap_[p]] < bound_[heap_[q]]; }
    void swap(std::size_t p, std::size_t q) {
        std::swap(heap_[p], heap_[q]);
        place_[heap_[p]] = p;
        place_[heap_[q]] = q;
    }
    void up(std::size_t p) {
        for (; p > 0 && before(p, (p - 1) / 2); p = (p - 1) / 2) swap(p, (p - 1) / 2);
    }
    void down(std::size_t p) {
        for (std::size_t c = 2 * p + 1; c < heap_.size(); c = 2 * p + 1) {
            if (c + 1 < heap_.size() && before(c + 1, c)) ++c;
            if (!before(c, p)) return;
            swap(p, c);
            p = c;
        }
    }
    std::vector<double> bound_;
    std::vector<std::size_t> place_, heap_;
};

}  // namespace suffice
