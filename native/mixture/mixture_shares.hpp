// Rows of a block shared out among the components of a mixture of Gaussians.
#pragma once

#include "mixture/gaussian.hpp"

namespace suffice {

inline constexpr double kLeast = -41;  // log of the smallest share that counts

// How rows are shared out; null where it does not apply.
struct Rule {
    bool hard;
    const std::int32_t* label;  // the component of a row, -1 where it is not known
    const double* uniform;      // in [0, 1): each row goes to one component, drawn by its shares
};

// What all rows add up to.
struct Results {
    double *weight, *first, *second, *cells, *log_likelihood;  // (k), (k, d), second as the shape has it, (k, d), 1
};

// The shares (k, ld) of the rows of a block, and the log likelihood of all rows shared out so far.
template <class Block>
struct Shares {
    const Gaussians& g;
    Block block;
    Lines share;
    double log_likelihood = 0;

    Shares(const Gaussians& gaussians, Block rows)
        : g(gaussians), block(std::move(rows)), share(g.count * block.ld) {}
};

// share = w p(component | x) for all rows of a block; adds to the log likelihood.
template <class Block>
void share_softly(Shares<Block>& s, const double* weight) {
    const auto& active = s.g.active;
    const std::size_t ld = s.block.ld;
    Vec total = {};
    for (std::size_t b = 0; b < s.block.height; b += kLanes) {
        const double* joint = &s.block.log_joint[b];
        Vec top = load(joint + active[0] * ld);
        for (const std::size_t c : active) {
            const Vec value = load(joint + c * ld);
            top = value > top ? value : top;
        }
        Vec sum = {};
        for (const std::size_t c : active) {
            const Vec value = exp_nonpositive(load(joint + c * ld) - top, kLeast);
            store(&s.share[c * ld + b], value);
            sum += value;
        }
        const Vec w = load(weight + b), scale = w / sum;
        total += w * (top + log_normal(sum));
        for (const std::size_t c : active) {
            store(&s.share[c * ld + b], load(&s.share[c * ld + b]) * scale);
        }
    }
    s.log_likelihood += sum_lanes(total);
}

template <class Block>
void give_to(Shares<Block>& s, std::size_t b, double w, std::size_t chosen, double log_likelihood) {
    const std::size_t ld = s.block.ld;
    for (const std::size_t c : s.g.active) s.share[c * ld + b] = c == chosen ? w : 0.0;
    s.log_likelihood += w * log_likelihood;
}

// A row that goes to one component: the one it is labelled with, the likeliest, or one drawn by its shares.
template <class Block>
void share_row(Shares<Block>& s, const Rule& rule, std::size_t b, double w, std::int32_t label, const double* uniform) {
    const auto& active = s.g.active;
    const std::size_t ld = s.block.ld;
    const double* joint = &s.block.log_joint[b];
    std::size_t best = active[0];
    for (const std::size_t c : active)
        if (joint[c * ld] > joint[best * ld]) best = c;
    double sum = 0;
    for (const std::size_t c : active) sum += std::exp(joint[c * ld] - joint[best * ld]);
    const double log_prob = joint[best * ld] + std::log(sum);
    if (label >= 0) return give_to(s, b, w, static_cast<std::size_t>(label), joint[static_cast<std::size_t>(label) * ld]);
    if (rule.hard) return give_to(s, b, w, best, joint[best * ld]);
    if (uniform) {
        double left = *uniform * sum;
        std::size_t chosen = best;
        for (const std::size_t c : active) {
            left -= std::exp(joint[c * ld] - joint[best * ld]);
            if (left < 0) {
                chosen = c;
                break;
            }
        }
        return give_to(s, b, w, chosen, log_prob);
    }
    for (const std::size_t c : active) {
        s.share[c * ld + b] = w * std::exp(joint[c * ld] - log_prob);
    }
    s.log_likelihood += w * log_prob;
}

template <class Block>
void share_rows(Shares<Block>& s, const Rule& rule, const double* weight, std::size_t first) {
    if (!rule.hard && !rule.label && !rule.uniform) return share_softly(s, weight);
    for (const std::size_t c : s.g.active)
        std::fill(&s.share[c * s.block.ld], &s.share[c * s.block.ld] + s.block.height, 0.0);
    for (std::size_t b = 0; b < s.block.count; ++b)
        share_row(s, rule, b, weight[b], rule.label ? rule.label[first + b] : -1,
                  rule.uniform ? rule.uniform + first + b : nullptr);
}

}  // namespace suffice
