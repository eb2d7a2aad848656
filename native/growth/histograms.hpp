// Sums of gradients, curvatures and weights of every code of every column, for nodes of many rows.
//
// A row adds one packed word to a cell of each column: three fields wide enough for a block of rows, which are then added
// to wide sums. Where the numbers are too large for that, three words are added.
#pragma once

#include "growth/held_rows.hpp"

namespace suffice {

class Histograms {
  public:
    Histograms(const Code* by_row, std::size_t d, const Packing& packing, std::size_t threads)
        : by_row_(by_row), d_(d), packing_(packing), scratch_(threads) {
        for (auto& own : scratch_) {
            own.words.resize(packing.rows ? d * kCodes : 0);
            own.wide.resize(threads > 1 ? d * kCellSums : 0);
        }
    }

    // The sums of a span of rows, written to `out` (d · 3 · 256).
    void fill(const HeldRows& held, Span span, std::int64_t* out, Team& team) {
        std::fill_n(out, d_ * kCellSums, 0);
        const std::size_t parts = std::min(team.size(), span.size() / kLeastPart);
        if (parts < 2) return add(held, span, scratch_[0].words.data(), out);
        const std::size_t each = (span.size() + parts - 1) / parts;
        team.share(parts, [&](std::size_t p, std::size_t) {
            const Span own{span.begin + p * each, std::min(span.end, span.begin + (p + 1) * each)};
            std::int64_t* wide = p == 0 ? out : scratch_[p].wide.data();
            if (p > 0) std::fill_n(wide, d_ * kCellSums, 0);
            add(held, own, scratch_[p].words.data(), wide);
        });
        for (std::size_t p = 1; p < parts; ++p)
            for (std::size_t k = 0; k < d_ * kCellSums; ++k) out[k] += scratch_[p].wide[k];
    }

  private:
    static constexpr std::size_t kLeastPart = 2048, kAhead = 16;  // rows of a thread; rows whose codes are fetched before
    struct Scratch {
        std::vector<std::int64_t> words, wide;
    };

    void add(const HeldRows& held, Span span, std::int64_t* words, std::int64_t* wide) const {
        if (packing_.rows == 0) return add_wide(held, span, wide);
        for (std::size_t begin = span.begin; begin < span.end; begin += packing_.rows) {
            const std::size_t end = std::min(span.end, begin + packing_.rows);
            std::memset(words, 0, d_ * kCodes * sizeof(std::int64_t));
            for (std::size_t i = begin; i < end; ++i) {
                const Code* ahead = by_row_ + d_ * held.row[std::min(i + kAhead, span.end - 1)];
                __builtin_prefetch(ahead);
                __builtin_prefetch(ahead + d_ - 1);
                const Code* code = by_row_ + d_ * held.row[i];
                const std::int64_t word = held.word[i];
                for (std::size_t j = 0; j < d_; ++j) words[j * kCodes + code[j]] += word;
            }
            for (std::size_t j = 0; j < d_; ++j) packing_.unpack(words + j * kCodes, wide + j * kCellSums);
        }
    }
    void add_wide(const HeldRows& held, Span span, std::int64_t* wide) const {
        for (std::size_t i = span.begin; i < span.end; ++i) {
            __builtin_prefetch(by_row_ + d_ * held.row[std::min(i + kAhead, span.end - 1)]);
            const Code* code = by_row_ + d_ * held.row[i];
            const TripleSums own = held.own[i];
            for (std::size_t j = 0; j < d_; ++j) {
                std::int64_t* cell = wide + j * kCellSums + code[j];
                cell[0] += own.first, cell[kCodes] += own.second, cell[2 * kCodes] += own.third;
            }
        }
    }

    const Code* by_row_;  // (n, d)
    std::size_t d_;
    const Packing& packing_;
    std::vector<Scratch> scratch_;  // of each thread
};

// What a column has in a node, from its histogram.
inline void collect(const std::int64_t* cells, Collected<TripleRows>& found) {
    const std::int64_t *a = cells, *b = cells + kCodes, *c = cells + 2 * kCodes;
    found.places.resize(kCodes);
    std::size_t count = 0;
    for (std::size_t k = 0; k < kMissing; ++k) {
        found.places[count] = static_cast<Place>(k);
        found.cells.add(count, {a[k], b[k], c[k]});
        count += c[k] != 0;
    }
    found.places.resize(count);
    found.has_missing = c[kMissing] != 0;
    found.cells.missing = {a[kMissing], b[kMissing], c[kMissing]};
}

// The same from the rows themselves, where they are few.
class FewRows {
  public:
    FewRows(const CodedTable& table, const Packing& packing) : table_(table), packing_(packing), words_(kCodes), sums_(kCodes) {}

    void collect(std::size_t column, const HeldRows& held, Span span, Collected<TripleRows>& found) {
        Codes256 seen{};
        if (packing_.rows) add(table_.column(column), held.row.data(), held.word.data(), span, words_, seen);
        else add(table_.column(column), held.row.data(), held.own.data(), span, sums_, seen);
        for (std::size_t w = 0; w < seen.size(); ++w)
            for (std::uint64_t bits = seen[w]; bits; bits &= bits - 1)
                take(w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), found);
    }

  private:
    template <class T>
    static void add(const Code* codes, const Row* row, const T* own, Span span, std::vector<T>& cells, Codes256& seen) {
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const Code code = codes[row[i]];
            insert(seen, code);
            cells[code] += own[i];
        }
    }
    void take(std::size_t code, Collected<TripleRows>& found) {
        const TripleSums sums = packing_.rows ? packing_.unpacked(words_[code]) : sums_[code];
        words_[code] = 0, sums_[code] = {};
        if (code == kMissing) {
            found.has_missing = true;
            found.cells.missing = sums;
        } else {
            found.cells.add(found.places.size(), sums);
            found.places.push_back(static_cast<Place>(code));
        }
    }

    const CodedTable& table_;
    const Packing& packing_;
    std::vector<std::int64_t> words_;
    std::vector<TripleSums> sums_;
};

}  // namespace suffice
