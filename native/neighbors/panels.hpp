// Rows in panels, as the filters of neighbours scan them, and what is known of a query while they do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace suffice {

inline constexpr std::size_t kPanelRows = 32;  // whatever the instruction set
inline constexpr float kTiny = 1e-36f;         // covers what underflows

struct Panels {
    const float* cells;      // (panels, d, kPanelRows), of (c - shift) scale
    const float* half_norm;  // (panels, kPanelRows), NaN where there is no row
    const float* longest;    // (panels,)
    const double* shift;     // (d,)
    double scale;
    std::size_t count, d;
};

// How far half a squared distance of at most `length`² is from itself in double, as candidates are compared in the end:
// for queries far out, more than a scan rounds.
inline float rounding_of(std::size_t d, float length) { return 1.2e-16f * static_cast<float>(d + 8) * length * length; }

// What is known of one query: its limit falls to what the k nearest leave, or with k = 0 stays what it was set to.
class Candidates {
  public:
    explicit Candidates(std::size_t k) : k_(k) {}

    void clear() {
        uppers_.clear();
        kept_.clear();
        limit = std::numeric_limits<float>::infinity();
    }

    void offer(float score, float error, std::uint32_t row) {
        if (k_ == 0) return kept_.push_back({score - error, row});
        const float upper = score + error;
        if (uppers_.size() < k_) {
            uppers_.push_back(upper);
            std::push_heap(uppers_.begin(), uppers_.end());
        } else if (upper < uppers_.front()) {
            std::pop_heap(uppers_.begin(), uppers_.end());
            uppers_.back() = upper;
            std::push_heap(uppers_.begin(), uppers_.end());
        }
        if (uppers_.size() == k_) limit = uppers_.front();
        kept_.push_back({score - error, row});
        if (kept_.size() > 8 * k_ + 512 && kept_.size() > 2 * settled_) drop();
    }

    struct Kept {
        float least;
        std::uint32_t row;
    };

    std::vector<Kept>& settle() {
        drop();
        return kept_;
    }

    float limit = 0;  // what a score must not exceed: the k-th of the greatest possible ones

  private:
    void drop() {
        std::erase_if(kept_, [this](const Kept& one) { return !(one.least <= limit); });
        settled_ = kept_.size();
    }

    std::size_t k_, settled_ = 0;
    std::vector<float> uppers_;
    std::vector<Kept> kept_;
};

}  // namespace suffice
