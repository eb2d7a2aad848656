// The scan that rules out most rows for a query by Euclidean distance, for many columns, in single precision or in bytes.
//
// Rows c and queries x are taken about a shift and scaled to length at most 1. ‖c‖²/2 − x·c ranks the rows; its rounding
// is bounded for every panel by unit (‖x‖ R + R²/2), R the longest of the panel. A row stays a candidate while its least
// possible score is not above the limit of the query; candidates are then compared in double. For many queries and columns
// the scan is one of bytes, where the processor has products of bytes and these leave the first queries few candidates.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/lane_bits.hpp"
#include "core/parallel.hpp"
#include "core/view.hpp"
#include "neighbors/byte_panels.hpp"
#include "neighbors/panels.hpp"

namespace suffice {

class FilterScan {
    using V = LaneTypes<float>::V;
    static constexpr int kWide = sizeof(V) / sizeof(float);
    static constexpr int kVectors = 2;  // vectors of a panel at a time
    static constexpr int kStep = kVectors * kWide;
    static constexpr std::size_t kTile = kLanes == 8 ? ByteQueries::kTile : 6;  // queries at a time
    static constexpr std::size_t kTried = 2 * ByteQueries::kTile;               // queries that show what a way leaves
    static constexpr std::size_t kColumns = 1024;  // summed by themselves: they stay in the cache, and round less

  public:
    static constexpr std::size_t kBlock = 192;  // queries that share a panel in the cache

    // Queries of so many columns in a block: few of long rows, which would leave the cache and threads without work.
    static std::size_t queries_of(std::size_t d) { return d > 4 * kColumns ? kBlock / 8 : kBlock; }

    struct Scratch {
        std::vector<float> cells;  // (tiles, d, kTile)
        std::vector<float> length, rounding;
        ByteQueries bytes;
        std::vector<Candidates> candidates;
        std::vector<float> sums;  // (tiles, kTile, kStep): scores of some rows while their columns are added up

        // `k` as Candidates take it
        Scratch(std::size_t k, std::size_t d)
            : cells(queries_of(d) * d), length(queries_of(d)), rounding(queries_of(d)), bytes(queries_of(d), d),
              candidates(queries_of(d), Candidates(k)), sums(queries_of(d) * kStep) {}
    };

    // x by rows without gaps between its columns. `few`: few rows may be candidates of a query, so that bytes may pay.
    FilterScan(const View<double>& x, const Panels& y, bool few, const Runtime& runtime)
        : x_(x), y_(y), unit_(6.5e-8f * static_cast<float>(std::min(y.d, kColumns) + y.d / kColumns + 8)),
          longest_(y.count ? *std::max_element(y.longest, y.longest + y.count) : 0.0f),
          bytes_(y, few && x.rows >= kBlock, runtime),
          by_bytes_(bytes_.is_useful()) {}

    bool is_by_bytes() const { return by_bytes_; }

    // How many queries a stripe has at least.
    std::size_t height() const {
        const bool is_large = y_.count * kPanelRows * y_.d > (std::size_t{1} << 22);  // than the cache
        return is_large ? queries_of(y_.d) : std::min(queries_of(y_.d), kBlock / 4);
    }

    // The share of the rows that the first queries are left with. Bytes are given up where they leave too many.
    template <class Limit>
    double try_out(std::size_t k, Limit limit) {
        Scratch scratch(k, y_.d);
        const double share = share_left(scratch, limit);
        if (!by_bytes_ || share * 32 <= 1) return share;
        by_bytes_ = false;
        return share_left(scratch, limit);
    }

    // Fills the candidates of at most queries_of(d) queries; limit(‖x‖²) is where the limit of a query starts.
    template <class Limit>
    void block(std::size_t first, std::size_t count, Scratch& scratch, Limit limit) const {
        load_queries(first, count, scratch, limit);
        if (by_bytes_) {
            scratch.bytes.load(x_, first, count, y_, bytes_);
            for (std::size_t p = 0; p < y_.count; ++p)
                for (std::size_t i = 0; i < count; i += kTile)
                    bytes_.scan(y_, p, scratch.bytes, i, &scratch.candidates[i]);
            return;
        }
        for (std::size_t p = 0; p < y_.count; ++p)
            for (std::size_t from = 0; from < kPanelRows; from += kStep)
                for (std::size_t begin = 0; begin < y_.d; begin += kColumns)
                    for (std::size_t i = 0; i < count; i += kTile)
                        y_.d <= kColumns ? scan<true>(p, from, 0, i, scratch) : scan<false>(p, from, begin, i, scratch);
    }

  private:
    template <class Limit>
    double share_left(Scratch& scratch, Limit limit) const {
        const std::size_t count = std::min(kTried, x_.rows);
        block(0, count, scratch, limit);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) kept += scratch.candidates[i].settle().size();
        return static_cast<double>(kept) / static_cast<double>(std::max<std::size_t>(1, count * y_.count * kPanelRows));
    }

    template <class Limit>
    void load_queries(std::size_t first, std::size_t count, Scratch& scratch, Limit limit) const {
        for (std::size_t tile = 0; tile < count; tile += kTile) {
            double norm[kTile] = {};
            load_tile(first + tile, std::min(kTile, count - tile), scratch.cells.data() + tile * y_.d, norm);
            for (std::size_t r = 0; r < kTile; ++r) {
                Candidates& own = scratch.candidates[tile + r];
                scratch.length[tile + r] = static_cast<float>(std::sqrt(norm[r]) * 1.000001);
                scratch.rounding[tile + r] = rounding_of(y_.d, scratch.length[tile + r] + longest_) + kTiny;
                own.clear();
                own.limit = tile + r < count ? limit(norm[r]) : -std::numeric_limits<float>::infinity();
            }
        }
    }

    // Some columns of all its queries at a time, so that what is written stays in the nearest cache. Adds to ‖x‖².
    void load_tile(std::size_t first, std::size_t count, float* out, double* norm) const {
        constexpr std::size_t kColumns = 64;
        for (std::size_t begin = 0; begin < y_.d; begin += kColumns) {
            const std::size_t end = std::min(y_.d, begin + kColumns);
            for (std::size_t r = 0; r < kTile; ++r) {
                const double* x = &x_.at(first + std::min(r, count - 1), 0);  // the last fills up the tile
                norm[r] += load_part(x, begin, end, out + r);
            }
        }
    }

    double load_part(const double* x, std::size_t begin, std::size_t end, float* out) const {
        Vec norm{};
        std::size_t j = begin;
        for (; j + kLanes <= end; j += kLanes) {
            const Vec cells = (load(x + j) - load(y_.shift + j)) * y_.scale;
            norm += cells * cells;
            for (std::size_t l = 0; l < kLanes; ++l) out[(j + l) * kTile] = static_cast<float>(cells[l]);
        }
        double sum = sum_lanes(norm);
        for (; j < end; ++j) {
            const double cell = (x[j] - y_.shift[j]) * y_.scale;
            out[j * kTile] = static_cast<float>(cell);
            sum += cell * cell;
        }
        return sum;
    }

    // What the columns from `begin` on, all of them or kColumns, add to the scores of a tile of queries, from number i on,
    // with some rows of a panel; after the last of them the rows are offered.
    template <bool all>
    void scan(std::size_t p, std::size_t from, std::size_t begin, std::size_t i, Scratch& scratch) const {
        const std::size_t d = y_.d, end = all ? d : std::min(d, begin + kColumns);
        const float* queries = scratch.cells.data() + i * d + begin * kTile;
        const float* cells = y_.cells + (p * d + begin) * kPanelRows + from;
        V score[kTile][kVectors] = {};
        if (all || begin == 0) start(p, from, score);
        for (std::size_t j = begin; j < end; ++j, cells += kPanelRows, queries += kTile) {
            V c[kVectors];
            for (int v = 0; v < kVectors; ++v) std::memcpy(&c[v], cells + v * kWide, sizeof(V));
            for (std::size_t r = 0; r < kTile; ++r) {
                const V x = queries[r] - V{};  // less 0 is no operation, unlike plus 0
                for (int v = 0; v < kVectors; ++v) score[r][v] -= x * c[v];
            }
        }
        if (all || add_before(begin, end, &scratch.sums[i * kStep], score))
            offer(p, from, score, i, scratch);
    }

    // Adds the sums of the columns before, and keeps those so far unless these were the last.
    [[gnu::always_inline]] bool add_before(std::size_t begin, std::size_t end, float* sums,
                                           V (&score)[kTile][kVectors]) const {
        for (std::size_t r = 0; r < kTile && begin > 0; ++r)
            for (int v = 0; v < kVectors; ++v) {
                V before;
                std::memcpy(&before, sums + r * kStep + v * kWide, sizeof before);
                score[r][v] += before;
            }
        if (end < y_.d) std::memcpy(sums, score, sizeof score);
        return end == y_.d;
    }

    [[gnu::always_inline]] void start(std::size_t p, std::size_t from, V (&score)[kTile][kVectors]) const {
        for (int v = 0; v < kVectors; ++v) {
            V half;
            std::memcpy(&half, y_.half_norm + p * kPanelRows + from + static_cast<std::size_t>(v * kWide), sizeof half);
            for (std::size_t r = 0; r < kTile; ++r) score[r][v] = half;
        }
    }

    [[gnu::always_inline]] void offer(std::size_t p, std::size_t from, const V (&score)[kTile][kVectors], std::size_t i,
                                      Scratch& scratch) const {
        const float *length = &scratch.length[i], *rounding = &scratch.rounding[i];
        Candidates* candidates = &scratch.candidates[i];
        const float longest = y_.longest[p];
        for (std::size_t r = 0; r < kTile; ++r) {
            const float error = unit_ * (length[r] * longest + longest * longest / 2) + rounding[r];
            const V limit = V{} + (candidates[r].limit + error);
            std::uint32_t bits = 0;
            for (int v = 0; v < kVectors; ++v) bits |= at_most(score[r][v], limit) << (v * kWide);
            if (bits == 0) continue;
            float scores[kStep];
            for (int v = 0; v < kVectors; ++v) std::memcpy(scores + v * kWide, &score[r][v], sizeof(V));
            for (; bits != 0; bits &= bits - 1) {
                const auto at = static_cast<std::size_t>(__builtin_ctz(bits));
                candidates[r].offer(scores[at], error, static_cast<std::uint32_t>(p * kPanelRows + from + at));
            }
        }
    }

    const View<double>& x_;
    const Panels& y_;
    float unit_, longest_;
    BytePanels bytes_;
    bool by_bytes_;
};

// Squared distances of one query from several rows, side by side, so that no addition waits for the one before. The
// columns are added in order, as everywhere.
template <int count, class T>
void squared_from(const double* x, const View<T>& y, const std::uint32_t* rows, double* values) {
    double sum[count] = {};
    const T* at[count];
    for (int c = 0; c < count; ++c) at[c] = y.data + static_cast<std::ptrdiff_t>(rows[c]) * y.row_stride;
    for (std::size_t j = 0; j < y.cols; ++j)
        for (int c = 0; c < count; ++c) {
            const double step = x[j] - static_cast<double>(at[c][j]);
            sum[c] = plus_square(sum[c], step);
        }
    for (int c = 0; c < count; ++c) values[c] = sum[c];
}

// Calls take(row, squared) for the candidates of a query, in double.
template <class T, class Take>
void compare_kept(const double* x, const View<T>& y, const std::vector<Candidates::Kept>& kept, Take take) {
    constexpr std::size_t kSide = 8;
    for (std::size_t i = 0; i < kept.size(); i += kSide) {
        std::uint32_t at[kSide];
        double squared[kSide] = {};
        const std::size_t some = std::min(kSide, kept.size() - i);
        for (std::size_t c = 0; c < kSide; ++c) at[c] = kept[i + std::min(c, some - 1)].row;
        if (some == 1)
            squared_from<1>(x, y, at, squared);
        else
            squared_from<kSide>(x, y, at, squared);  // takes no longer than two by themselves
        for (std::size_t c = 0; c < some; ++c) take(at[c], squared[c]);
    }
}

}  // namespace suffice
