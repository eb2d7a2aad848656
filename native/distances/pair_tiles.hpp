// The loops behind PairSums. Everything here is of the file that includes it: one is built with fused operations, another
// without, and the linker must not take one for the other.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "distances/pair_sums.hpp"
#include "distances/pair_terms.hpp"

namespace suffice {
namespace {

// out[R, V kLanes] = the sums of R rows and V vectors of a panel that is kWidth rows wide
template <int R, bool kGaps, int V, std::size_t kWidth, class Term>
void tile(const double* rows, std::size_t d, const double* panel, const Term& term, const Form& form, double* out) {
    Vec sum[R][V] = {}, present[R][V] = {};
    for (std::size_t j = 0; j < d; ++j) {
        Vec y[V];
        for (int v = 0; v < V; ++v) y[v] = load(panel + j * kWidth + v * kLanes);
        for (int r = 0; r < R; ++r) {
            const Vec x = broadcast(rows[r * d + j]);
            for (int v = 0; v < V; ++v) {
                if constexpr (kGaps) {
                    const Vec value = term(x, y[v], j), w = broadcast(form.weight[j]);
                    sum[r][v] = value == value ? Term::join(sum[r][v], w * value) : sum[r][v];
                    present[r][v] += value == value ? w : Vec{};
                } else {
                    sum[r][v] = added(term, sum[r][v], x, y[v], j);
                }
            }
        }
    }
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) {
            Vec value = sum[r][v];
            if constexpr (kGaps) {
                constexpr bool kMean = std::is_base_of_v<Summed, Term>;
                const Vec mean = kMean ? value / present[r][v] * form.scale : value;
                value = present[r][v] > 0 ? mean : broadcast(std::numeric_limits<double>::quiet_NaN());
            }
            store(out + r * kWidth + v * kLanes, value);
        }
}

void finish(const Form& form, double* values, std::size_t count) {
    if (form.finish == Finish::kRoot)
        for (std::size_t i = 0; i < count; ++i) values[i] = std::sqrt(values[i]);
    if (form.finish == Finish::kPower)
        for (std::size_t i = 0; i < count; i += kLanes) store(values + i, power(load(values + i), 1 / form.p));
}

// Missing cells need twice the registers.
template <bool kGaps, class Term>
void panel_block(const PairSums& sums, const Term& term, const double* rows, std::size_t count, std::size_t d,
                 const double* panel, double* out) {
    constexpr int kRows = kGaps ? 2 : 4;
    std::size_t i = 0;
    for (; i + kRows <= count; i += kRows)
        tile<kRows, kGaps, kVectors, kPanel>(rows + i * d, d, panel, term, sums.form, out + i * kPanel);
    for (; i < count; ++i) tile<1, kGaps, kVectors, kPanel>(rows + i * d, d, panel, term, sums.form, out + i * kPanel);
    finish(sums.form, out, count * kPanel);
}

// Vectors side by side: no sum waits for the one before.
template <bool kGaps, class Term>
void wide_block(const PairSums& sums, const Term& term, const double* row, std::size_t d, const double* panel, double* out) {
    constexpr int kTogether = kGaps ? kAcross / 2 : kAcross;
    for (std::size_t v = 0; v < kWide; v += kTogether * kLanes)
        tile<1, kGaps, kTogether, kWide>(row, d, panel + v, term, sums.form, out + v);
    finish(sums.form, out, kWide);
}

template <class Term>
Term term_of(const PairSums& sums) {
    if constexpr (std::is_same_v<Term, Power>) return {{}, sums.p};
    else if constexpr (std::is_same_v<Term, Mixed>) return {{}, sums.numbers};
    else return {};
}

template <class Term, bool kGaps>
void use(PairSums& made) {
    made.panel_ = [](const PairSums& sums, const double* rows, std::size_t count, std::size_t d, const double* panel,
                     double* out) { panel_block<kGaps>(sums, term_of<Term>(sums), rows, count, d, panel, out); };
    made.wide_ = [](const PairSums& sums, const double* row, std::size_t, std::size_t d, const double* panel, double* out) {
        wide_block<kGaps>(sums, term_of<Term>(sums), row, d, panel, out);
    };
}

PairSums make_pair_sums(const std::string& kind, double p, std::size_t numbers, const Form& form) {
    PairSums made{p, numbers, form, nullptr, nullptr};
    auto either = [&]<class Term>(Term) { form.weight == nullptr ? use<Term, false>(made) : use<Term, true>(made); };
    if (kind == "squared") either(Squared{});
    else if (kind == "absolute") either(Absolute{});
    else if (kind == "largest") either(Largest{});
    else if (kind == "power") either(Power{});
    else if (kind == "different") either(Different{});
    else if (kind == "mixed") either(Mixed{});
    else if (kind == "jaccard") use<Membership, true>(made);
    else if (kind == "product") use<Product, false>(made);
    else if (kind == "jensen") use<Jensen, false>(made);
    else if (kind == "smaller") use<Smaller, false>(made);
    else if (kind == "chi") use<ChiSquared, false>(made);
    else throw std::invalid_argument("unknown kind of distance: " + kind);
    return made;
}

}  // namespace
}  // namespace suffice
