// Sums of gradients, curvatures and weights of every code of every column, for nodes of many rows.
//
// A row adds one packed word to a cell of each column: three fields wide enough for a block of rows, which are then added
// to wide sums. Where the numbers are too large for that, three words are added, which lie side by side in a cell.
#pragma once

#include "growth/held_rows.hpp"

namespace suffice {

// Three sums and a fourth word that nobody reads.
struct alignas(32) WideCell {
    using Words = std::uint64_t __attribute__((vector_size(32), may_alias));
    Words words;

    // The row's sums, and the word behind them.
    void add(const TripleSums* own) {
        Words held;
        std::memcpy(&held, own, sizeof held);
        words += held;
    }
    // 256 cells as wide sums.
    static void write(const WideCell* cells, std::int64_t* wide) {
        for (std::size_t k = 0; k < kCodes; ++k)
            for (std::size_t s = 0; s < 3; ++s) wide[s * kCodes + k] = static_cast<std::int64_t>(cells[k].words[s]);
    }
};

class Histograms {
  public:
    Histograms(const CodedTable& table, const Code* by_row, Team& team)
        : table_(table), by_row_(by_row), team_(team), scratch_(team.size()) {
    }

    // Begins with the sums of a span of rows, which will be written to `out` (d · 3 · 256): of many rows, each thread
    // adds up some; of others, each column is added up when it is asked for.
    void begin(const HeldRows& held, Span span, std::int64_t* out) {
        span_ = span, out_ = out;
        const std::size_t parts = std::clamp<std::size_t>(span.size() / kLeastPart, 1, team_.size());
        parts_ = parts * kColumnCost < kRowCost * std::min(team_.size(), table_.d) ? 0 : parts;
        for (std::size_t p = 0; p < parts_; ++p) {
            if (p > 0) scratch_[p].wide.resize(table_.d * kCellSums);
            if (held.packing().rows) scratch_[p].words.resize(table_.d * kCodes);
            else scratch_[p].cells.resize(table_.d * kCodes);
        }
        const std::size_t each = (span.size() + parts - 1) / parts;
        team_.share(parts_, [&](std::size_t p, std::size_t) {
            const Span own{span.begin + p * each, std::min(span.end, span.begin + (p + 1) * each)};
            std::int64_t* wide = p == 0 ? out : scratch_[p].wide.data();
            if (held.packing().rows) add(held, own, scratch_[p].words.data(), wide);
            else add_wide(held, own, scratch_[p].cells.data(), wide);
        });
    }
    // What is left to be done of a column.
    void finish(const HeldRows& held, std::size_t column) const {
        std::int64_t* own = out_ + column * kCellSums;
        if (parts_ == 0) add_column(held, table_.column(column), own);
        for (std::size_t p = 1; p < parts_; ++p)
            for (std::size_t k = 0; k < kCellSums; ++k) own[k] += scratch_[p].wide[column * kCellSums + k];
    }

  private:
    static constexpr std::size_t kLeastPart = 4096, kAhead = 16;  // rows of a thread; rows whose codes are fetched before
    static constexpr std::size_t kRowCost = 2, kColumnCost = 3;   // of a cell, by rows and by columns, against each other
    struct Scratch {
        std::vector<std::int64_t> words, wide;
        std::vector<WideCell> cells;
    };

    void add(const HeldRows& held, Span span, std::int64_t* words, std::int64_t* wide) const {
        const Packing& packing = held.packing();
        const std::size_t d = table_.d;
        for (std::size_t begin = span.begin; begin < span.end; begin += packing.rows) {
            const std::size_t end = std::min(span.end, begin + packing.rows);
            std::memset(words, 0, d * kCodes * sizeof(std::int64_t));
            for (std::size_t i = begin; i < end; ++i) {
                const Code* ahead = by_row_ + d * held.row[std::min(i + kAhead, span.end - 1)];
                __builtin_prefetch(ahead);
                __builtin_prefetch(ahead + d - 1);
                const Code* code = by_row_ + d * held.row[i];
                const std::int64_t word = held.word[i];
                for (std::size_t j = 0; j < d; ++j) words[j * kCodes + code[j]] += word;
            }
            for (std::size_t j = 0; j < d; ++j) packing.unpack(words + j * kCodes, wide + j * kCellSums, begin == span.begin);
        }
    }
    void add_wide(const HeldRows& held, Span span, WideCell* cells, std::int64_t* wide) const {
        const std::size_t d = table_.d;
        std::fill_n(cells, d * kCodes, WideCell{});
        for (std::size_t i = span.begin; i < span.end; ++i) {
            __builtin_prefetch(by_row_ + d * held.row[std::min(i + kAhead, span.end - 1)]);
            const Code* code = by_row_ + d * held.row[i];
            for (std::size_t j = 0; j < d; ++j) cells[j * kCodes + code[j]].add(&held.own[i]);
        }
        for (std::size_t j = 0; j < d; ++j) WideCell::write(cells + j * kCodes, wide + j * kCellSums);
    }
    void add_column(const HeldRows& held, const Code* code, std::int64_t* wide) const {
        const Packing& packing = held.packing();
        if (packing.rows == 0) {
            WideCell cells[kCodes] = {};
            for (std::size_t i = span_.begin; i < span_.end; ++i) cells[code[held.row[i]]].add(&held.own[i]);
            return WideCell::write(cells, wide);
        }
        for (std::size_t begin = span_.begin; begin < span_.end; begin += packing.rows) {
            std::int64_t words[kCodes] = {};
            for (std::size_t i = begin; i < std::min(span_.end, begin + packing.rows); ++i)
                words[code[held.row[i]]] += held.word[i];
            packing.unpack(words, wide, begin == span_.begin);
        }
    }

    const CodedTable& table_;
    const Code* by_row_;  // (n, d)
    Team& team_;
    std::vector<Scratch> scratch_;  // of each thread
    Span span_{0, 0};
    std::int64_t* out_ = nullptr;
    std::size_t parts_ = 0;  // of the rows, each added up by a thread; 0: by columns
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
    explicit FewRows(const CodedTable& table) : table_(table), words_(kCodes), sums_(kCodes) {}

    void collect(std::size_t column, const HeldRows& held, Span span, Collected<TripleRows>& found) {
        Codes256 seen{};
        const Packing& packing = held.packing();
        if (packing.rows) add(table_.column(column), held.row.data(), held.word.data(), span, words_, seen);
        else add(table_.column(column), held.row.data(), held.own.data(), span, sums_, seen);
        for (std::size_t w = 0; w < seen.size(); ++w)
            for (std::uint64_t bits = seen[w]; bits; bits &= bits - 1)
                take(w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), packing, found);
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
    void take(std::size_t code, const Packing& packing, Collected<TripleRows>& found) {
        const TripleSums sums = packing.rows ? packing.unpacked(words_[code]) : sums_[code];
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
    std::vector<std::int64_t> words_;
    std::vector<TripleSums> sums_;
};

}  // namespace suffice
