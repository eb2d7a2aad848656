// The forces of sampled attraction and repulsion on points of a map.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/lane_bits.hpp"
#include "core/mixing.hpp"
#include "embedding/curve.hpp"
#include "embedding/points.hpp"

namespace suffice {

struct Sampling {
    Curve curve;
    double push;
    std::size_t negatives;
    const double* share;        // (m): which part of its draws a point keeps, null: all of them,
    const std::int32_t* alias;  // (m) and who has the rest
};

// Edges whose forces are found together: of each what its other end does, and behind it what the points drawn for it do.
template <int K>
class Pairs {
  public:
    Pairs(std::size_t m, std::size_t k, const Sampling& how)
        : m_(m), k_(k), how_(how), each_(1 + (how.negatives + 1) / 2), room_(std::max<std::size_t>(1, kAtOnce / each_)),
          width_(round_up(room_ * each_, kLanes)), row_(room_), other_(width_), key_(width_), push_(width_), force_(k * width_) {}

    bool is_full() const { return count_ == room_; }
    // A point and the one that pulls it; the others are drawn by the numbers after a key, if odd one more of an odd number.
    void add(std::int32_t row, std::int32_t other, std::uint64_t key, bool odd) {
        const std::size_t at = count_ * each_;
        row_[count_++] = row, other_[at] = other, push_[at] = kPulls;
        for (std::size_t q = 1; q < each_; ++q) key_[at + q] = key + kGolden * (q - 1), push_[at + q] = how_.push;
        if (how_.negatives % 2 && !odd) push_[at + each_ - 1] = 0;
    }

    // Adds the forces on each point to its move (rows, k), those of the first point first.
    void flush(const double* points, std::size_t first, double* moves) {
        const std::size_t k = K ? K : k_, count = count_ * each_;
        double* force = force_.data();
        draw(count);
        for (std::size_t e = 0; e < count_; ++e) {
            const double* own = points + static_cast<std::size_t>(row_[e]) * k;
            for (std::size_t at = e * each_; at < (e + 1) * each_; ++at)
                for (std::size_t c = 0; c < k; ++c) force[c * width_ + at] = own[c] - points[static_cast<std::size_t>(other_[at]) * k + c];
        }
        for (std::size_t at = 0; at < count; at += kLanes) {
            Vec squared{};
            for (std::size_t c = 0; c < k; ++c) squared += load(force + c * width_ + at) * load(force + c * width_ + at);
            const Vec hold = held(squared, load(push_.data() + at));
            for (std::size_t c = 0; c < k; ++c) store(force + c * width_ + at, hold * load(force + c * width_ + at));
        }
        for (std::size_t e = 0; e < count_; ++e)
            for (std::size_t c = 0; c < k; ++c) {
                double sum = 0;
                for (std::size_t at = e * each_; at < (e + 1) * each_; ++at) sum += force[c * width_ + at];
                moves[(static_cast<std::size_t>(row_[e]) - first) * k + c] += sum;
            }
        count_ = 0;
    }

  private:
    static constexpr double kPulls = -1;             // in place of what a push counts
    static constexpr double kLongest = 4.0;          // of what one pair moves a point, before the step
    static constexpr std::size_t kAtOnce = 512;      // pairs, or those of one edge if they are more

    void draw(std::size_t count) {
        const std::uint64_t *key = key_.data(), m = m_;
        std::int32_t* other = other_.data();
        const double *push = push_.data(), *share = how_.share;
        const std::int32_t* alias = how_.alias;
        for (std::size_t at = 0; at < count; ++at) {
            const std::uint64_t bits = mix(key[at]);
            auto drawn = static_cast<std::int32_t>(((bits >> 32) * m) >> 32);
            if (share) drawn = static_cast<double>(bits & 0xffffffffu) * 0x1p-32 < share[drawn] ? drawn : alias[drawn];
            other[at] = push[at] < 0 ? other[at] : drawn;
        }
    }

    // What the difference of two points is multiplied by: the slope of log ν, or of log(1 − ν).
    Vec held(Vec squared, Vec push) const {
        const Vec wide = squared + how_.curve.room;
        const Looks look = looks(wide, how_.curve);
        Vec hold = (2 * how_.curve.b) * (push < 0 ? -look.far : push * look.near) / (look.sum * wide);
        const Vec length = hold * hold * squared;
        constexpr std::uint32_t kAll = (1u << kLanes) - 1;
        if (at_most(length, broadcast(kLongest * kLongest)) == kAll) return hold;
        for (int l = 0; l < kLanes; ++l)
            if (length[l] > kLongest * kLongest) hold[l] *= kLongest / std::sqrt(length[l]);
        return hold;
    }

    std::size_t m_, k_;
    const Sampling& how_;
    std::size_t each_, room_, width_, count_ = 0;  // pairs of an edge, edges, and pairs in all
    std::vector<std::int32_t> row_, other_;
    std::vector<std::uint64_t> key_;
    std::vector<double> push_, force_;
};

}  // namespace suffice
