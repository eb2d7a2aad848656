// Centroids that move and vanish, in blocks of near ones with boxes around them, so that most blocks need no look.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/simd.hpp"
#include "linkage/spatial_order.hpp"

namespace suffice {

// How a squared distance counts: as it is.
struct PlainScale {
    double own;
    Vec operator()(Vec squared, Vec) const { return squared; }
    double least(double squared, double) const { return squared; }
};

// By n m / (n + m), n the size of this cluster and m of the other: half the growth of the squares within (Ward).
struct WardScale {
    double own;
    Vec operator()(Vec squared, Vec size) const { return squared * (own * size / (own + size)); }
    double least(double squared, double size) const { return squared * (own * size / (own + size)); }
};

class CentroidField {
    static constexpr std::size_t kBlock = 64;
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  public:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    struct Found {
        std::size_t slot = kNone;
        double value = kInfinity;
    };

    CentroidField(std::vector<double> points, std::size_t d, const double* weight)
        : d_(d), active_(points.size() / d), place_(active_), size_(weight, weight + active_) {
        std::vector<std::size_t> slot(active_);
        std::iota(slot.begin(), slot.end(), std::size_t{0});
        build(points, slot);
    }

    std::size_t active() const { return active_; }
    double size(std::size_t slot) const { return size_[slot]; }
    bool has(std::size_t slot) const { return place_[slot] != kNone; }

    // What a search writes to; each thread has its own.
    struct Scratch {
        std::vector<double> point, bound;
    };

    // The nearest other cluster by the scale, the lowest slot of equals; `near` is one that is likely to be near.
    template <class Scale>
    Found nearest(std::size_t slot, Scratch& scratch, std::size_t near = kNone) const {
        const Scale scale{size_[slot]};
        const std::size_t own = place_[slot];
        scratch.point.resize(d_);
        scratch.bound.resize(stride_);
        const double* point = load_point(own, scratch.point.data());
        bound_boxes(point, scratch.bound.data());
        Found found;
        if (near != kNone) found = {near, value(scale, point, place_[near])};
        look(scale, point, own / kBlock, own, found);
        for (std::size_t b = 0; b < blocks_; ++b)
            if (b != own / kBlock && scale.least(scratch.bound[b], least_size_[b]) <= found.value)
                look(scale, point, b, own, found);
        return found;
    }

    // About how many operations a search takes.
    double search_operations() const { return static_cast<double>((2 * blocks_ + 16 * kBlock) * d_); }

    // Calls use(slot, squared distance) for every other cluster.
    template <class Use>
    void for_all(std::size_t slot, Use use) {
        const std::size_t own = place_[slot];
        load_point(own, point_.data());
        alignas(64) double values[kBlock];
        for (std::size_t b = 0; b < blocks_; ++b) {
            squares(point_.data(), b, values);
            for (std::size_t c = 0; c < kBlock; ++c)
                if (values[c] < kInfinity && b * kBlock + c != own) use(slot_[b * kBlock + c], values[c]);
        }
    }

    // Cluster y becomes the union, at `share` of the way from y to x; x is gone.
    void merge(std::size_t x, std::size_t y, double share) {
        load_point(place_[x], point_.data());
        const std::size_t at = place_[y], block = at / kBlock;
        for (std::size_t j = 0; j < d_; ++j) {
            double& c = cell(at, j);
            c += share * (point_[j] - c);
            low_[j * stride_ + block] = std::min(low_[j * stride_ + block], c);
            high_[j * stride_ + block] = std::max(high_[j * stride_ + block], c);
            cell(place_[x], j) = kInfinity;
        }
        size_[y] += size_[x];
        block_size_[at] = size_[y];
        place_[x] = kNone;
        if (--active_ * 5 < blocks_ * kBlock * 3 && blocks_ > 1) squeeze();
    }

  private:
    double& cell(std::size_t at, std::size_t j) { return cells_[(at / kBlock * d_ + j) * kBlock + at % kBlock]; }

    const double* load_point(std::size_t at, double* point) const {
        for (std::size_t j = 0; j < d_; ++j) point[j] = cells_[(at / kBlock * d_ + j) * kBlock + at % kBlock];
        return point;
    }

    template <class Scale>
    double value(const Scale& scale, const double* point, std::size_t at) const {
        alignas(64) double values[kBlock];
        squares(point, at / kBlock, values);
        return scale.least(values[at % kBlock], block_size_[at]);
    }

    // Lower bounds of the squared distances of the point from the clusters of each block.
    void bound_boxes(const double* point, double* bound) const {
        for (std::size_t b = 0; b < stride_; b += kLanes) {
            Vec sum{};
            for (std::size_t j = 0; j < d_; ++j) {
                const Vec below = load(&low_[j * stride_ + b]) - point[j], above = point[j] - load(&high_[j * stride_ + b]);
                const Vec outside = below > above ? below : above;
                sum += outside > 0 ? outside * outside : Vec{};
            }
            store(bound + b, sum * (1 - 1e-12));  // the sums round otherwise than those of the points
        }
    }

    void squares(const double* point, std::size_t block, double* out) const {
        const double* cells = cells_.data() + block * d_ * kBlock;
        constexpr int kAcross = kBlock / kLanes > 8 ? 8 : kBlock / kLanes;
        for (std::size_t from = 0; from < kBlock; from += kAcross * kLanes) {
            Vec sum[kAcross] = {};
            for (std::size_t j = 0; j < d_; ++j)
                for (int v = 0; v < kAcross; ++v) {
                    const Vec step = load(cells + j * kBlock + from + v * kLanes) - point[j];
                    sum[v] += step * step;
                }
            for (int v = 0; v < kAcross; ++v) store(out + from + v * kLanes, sum[v]);
        }
    }

    template <class Scale>
    void look(const Scale& scale, const double* point, std::size_t block, std::size_t own, Found& found) const {
        alignas(64) double values[kBlock];
        squares(point, block, values);
        Vec least = broadcast(kInfinity);
        for (std::size_t c = 0; c < kBlock; c += kLanes) {
            const Vec scaled = scale(load(values + c), load(&block_size_[block * kBlock + c]));
            store(values + c, scaled);
        }
        if (block == own / kBlock) values[own % kBlock] = kInfinity;
        for (std::size_t c = 0; c < kBlock; c += kLanes) {
            const Vec v = load(values + c);
            least = v < least ? v : least;
        }
        double best = kInfinity;
        for (int l = 0; l < kLanes; ++l) best = std::min(best, least[l]);
        if (best > found.value || best == kInfinity) return;
        for (std::size_t c = 0; c < kBlock; ++c) {
            const std::size_t slot = slot_[block * kBlock + c];
            if (values[c] == best && (best < found.value || slot < found.slot)) found = {slot, best};
        }
    }

    void squeeze() {
        std::vector<double> points(active_ * d_);
        std::vector<std::size_t> slot;
        for (std::size_t s = 0; s < place_.size(); ++s)
            if (place_[s] != kNone) {
                for (std::size_t j = 0; j < d_; ++j) points[slot.size() * d_ + j] = cell(place_[s], j);
                slot.push_back(s);
            }
        build(points, slot);
    }

    void build(const std::vector<double>& points, const std::vector<std::size_t>& slot) {
        const std::size_t n = slot.size();
        const std::vector<std::size_t> order = spatial_order(points.data(), n, d_, kBlock);
        blocks_ = (n + kBlock - 1) / kBlock;
        stride_ = round_up(blocks_, kLanes);
        point_.resize(d_);
        cells_.assign(blocks_ * d_ * kBlock, kInfinity);
        slot_.assign(blocks_ * kBlock, kNone);
        block_size_.assign(blocks_ * kBlock, 1.0);
        low_.assign(d_ * stride_, kInfinity);
        high_.assign(d_ * stride_, -kInfinity);
        least_size_.assign(blocks_, kInfinity);
        for (std::size_t at = 0; at < n; ++at) {
            const std::size_t s = slot[order[at]], block = at / kBlock;
            slot_[at] = s;
            place_[s] = at;
            block_size_[at] = size_[s];
            least_size_[block] = std::min(least_size_[block], size_[s]);
            for (std::size_t j = 0; j < d_; ++j) {
                const double c = cell(at, j) = points[order[at] * d_ + j];
                low_[j * stride_ + block] = std::min(low_[j * stride_ + block], c);
                high_[j * stride_ + block] = std::max(high_[j * stride_ + block], c);
            }
        }
    }

    std::size_t d_, active_, blocks_ = 0, stride_ = 0;
    std::vector<std::size_t> place_;  // where the cluster of a slot stands, kNone where it is gone
    std::vector<double> size_;        // by slot
    std::vector<std::size_t> slot_;   // by place
    std::vector<double> cells_, block_size_, low_, high_, least_size_, point_;
};

}  // namespace suffice
