// An epoch of sampled attraction and repulsion: edges pull their ends together when they are due, and each time some points
// drawn at random push one end away (McInnes, Healy and Melville, 2018).
//
// All points move at once, several times an epoch, and what is drawn depends on the seed, the epoch and the edge alone: the
// same bits for any number of threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/binding.hpp"
#include "core/clock.hpp"
#include "core/lane_bits.hpp"
#include "core/mixing.hpp"
#include "core/team.hpp"
#include "embedding/curve.hpp"
#include "embedding/points.hpp"

namespace suffice {
namespace {

constexpr std::size_t kParts = 8;        // of an epoch, in each of which all points move once
constexpr double kLongest = 4.0;         // of what one pair moves a point, before the step
constexpr std::size_t kAtOnce = 512;     // pairs, or those of one edge if they are more
constexpr std::size_t kSmallest = 16;    // points of a stripe
constexpr std::uint64_t kTurn = 1u << 31;   // by which an edge has gone on when it is due

struct Edges {
    const std::int64_t* ends;     // (m): those of point i from ends[i - 1] to ends[i]
    const std::int32_t* others;   // all below m
    const std::uint32_t *rate, *phase;
};

struct Sampling {
    Curve curve;
    double push, step;
    std::size_t negatives;
    const double* share;        // (m): which part of its draws a point keeps, null: all of them,
    const std::int32_t* alias;  // (m) and who has the rest
    std::uint64_t stream, epoch;
};

// An edge that is due: its number, twice, and whether an odd number of turns is behind it.
struct Event {
    std::int32_t row;
    std::uint32_t code;
};

// Pairs whose forces are found together.
template <int K>
class Pairs {
  public:
    Pairs(const double* points, std::size_t m, std::size_t k, const Sampling& how)
        : points_(points), m_(m), k_(k), how_(how), room_(std::max<std::size_t>(kAtOnce, 1 + how.negatives)), row_(round_up(room_, kLanes)),
          other_(row_.size()), key_(row_.size()), pull_(row_.size()), force_(k * row_.size()) {}

    bool has_room(std::size_t more) const { return count_ + more <= room_; }
    // A point with the one that pulls it, and with so many that are drawn by the numbers after a key.
    void add(std::int32_t row, std::int32_t other, std::uint64_t key, std::size_t drawn) {
        row_[count_] = row, other_[count_] = other, pull_[count_++] = 1.0;
        for (std::size_t q = 0; q < drawn; ++q) row_[count_] = row, key_[count_] = key + kGolden * q, pull_[count_++] = 0.0;
    }

    // Adds the force of each pair to the moves (rows, k) of its point, those of the first point first.
    void flush(std::size_t first, double* moves) {
        const std::size_t k = K ? K : k_, width = row_.size();
        std::int32_t *row = row_.data(), *other = other_.data();
        double *pull = pull_.data(), *force = force_.data();
        draw();
        for (std::size_t at = count_; at < round_up(count_, kLanes); ++at) row[at] = other[at] = row[0], pull[at] = 0;
        Lanes<K> apart(k);
        for (std::size_t at = 0; at < count_; at += kLanes) {
            Vec squared{};
            for (std::size_t c = 0; c < k; ++c) {
                apart[c] = column(row + at, c) - column(other + at, c);
                squared += apart[c] * apart[c];
            }
            const Vec hold = held(squared, load(pull + at));
            for (std::size_t c = 0; c < k; ++c) store(force + c * width + at, hold * apart[c]);
        }
        for (std::size_t at = 0; at < count_; ++at) {
            double* move = moves + (static_cast<std::size_t>(row[at]) - first) * k;
            for (std::size_t c = 0; c < k; ++c) move[c] += force[c * width + at];
        }
        count_ = 0;
    }

  private:
    void draw() {
        const std::uint64_t *key = key_.data(), m = m_;
        std::int32_t* other = other_.data();
        const double *pull = pull_.data(), *share = how_.share;
        const std::int32_t* alias = how_.alias;
        for (std::size_t at = 0; at < count_; ++at) {
            const std::uint64_t bits = mix(key[at]);
            auto drawn = static_cast<std::int32_t>(((bits >> 32) * m) >> 32);
            if (share) drawn = static_cast<double>(bits & 0xffffffffu) * 0x1p-32 < share[drawn] ? drawn : alias[drawn];
            other[at] = pull[at] != 0 ? other[at] : drawn;
        }
    }
    Vec column(const std::int32_t* rows, std::size_t c) const {
        Vec v{};
        for (int l = 0; l < kLanes; ++l) v[l] = points_[static_cast<std::size_t>(rows[l]) * (K ? K : k_) + c];
        return v;
    }

    // What the difference of two points is multiplied by: the slope of log ν, or of log(1 − ν).
    Vec held(Vec squared, Vec pull) const {
        const Vec wide = squared + how_.curve.room;
        const Looks look = looks(wide, how_.curve);
        Vec hold = (2 * how_.curve.b) * ((1.0 - pull) * how_.push * look.near - pull * look.far) / wide;
        const Vec length = hold * hold * squared;
        constexpr std::uint32_t kAll = (1u << kLanes) - 1;
        if (at_most(length, broadcast(kLongest * kLongest)) == kAll) return hold;
        for (int l = 0; l < kLanes; ++l)
            if (length[l] > kLongest * kLongest) hold[l] *= kLongest / std::sqrt(length[l]);
        return hold;
    }

    const double* points_;
    std::size_t m_, k_;
    const Sampling& how_;
    std::size_t room_, count_ = 0;
    std::vector<std::int32_t> row_, other_;
    std::vector<std::uint64_t> key_;
    std::vector<double> pull_, force_;
};

class Due {
  public:
    Due(const Edges& edges, std::size_t m, std::uint64_t epoch)
        : edges_(edges), epoch_(epoch), stripes_(m, kSmallest), found_(stripes_.count()) {}

    const Stripes& stripes() const { return stripes_; }
    std::span<const Event> events(std::size_t s, std::size_t part) const {
        const Found& own = found_[s];
        return {own.events.data() + own.begin[part], own.begin[part + 1] - own.begin[part]};
    }

    void collect(std::size_t s) {
        const std::int64_t before = stripes_.begin(s) ? edges_.ends[stripes_.begin(s) - 1] : 0;
        const auto edges = static_cast<std::size_t>(edges_.ends[stripes_.end(s) - 1] - before);
        std::vector<Event> events(2 * edges + 1);
        std::vector<std::uint8_t> part(2 * edges + 1);
        const std::size_t count = find(s, events.data(), part.data());
        Found& own = found_[s];
        for (std::size_t e = 0; e < count; ++e) ++own.begin[part[e] + 1];
        for (std::size_t p = 0; p < kParts; ++p) own.begin[p + 1] += own.begin[p];
        std::array<std::size_t, kParts> next;
        std::copy_n(own.begin.begin(), kParts, next.begin());
        own.events.resize(count);
        for (std::size_t e = 0; e < count; ++e) own.events[next[part[e]]++] = events[e];
    }

  private:
    struct Found {
        std::vector<Event> events;  // those of one part after the other
        std::array<std::size_t, kParts + 1> begin{};
    };

    // Each edge is due at most twice; what is written behind the last is overwritten or left.
    std::size_t find(std::size_t s, Event* events, std::uint8_t* part) const {
        std::size_t count = 0;
        for (std::size_t i = stripes_.begin(s); i < stripes_.end(s); ++i)
            for (std::int64_t at = i ? edges_.ends[i - 1] : 0; at < edges_.ends[i]; ++at) {
                const std::uint64_t rate = edges_.rate[at], before = edges_.phase[at] + rate * epoch_;
                const std::uint64_t turn = before / kTurn + 1, turns = (before + rate) / kTurn + 1 - turn;
                const double unit = static_cast<double>(kParts) / static_cast<double>(std::max<std::uint64_t>(rate, 1));
                double when = static_cast<double>(turn * kTurn - before) * unit;
                for (std::uint64_t t = 0; t < 2; ++t, when += static_cast<double>(kTurn) * unit) {
                    events[count] = {static_cast<std::int32_t>(i), static_cast<std::uint32_t>(2 * at) + static_cast<std::uint32_t>((turn + t) & 1)};
                    part[count] = static_cast<std::uint8_t>(std::min(when, kParts - 1.0));
                    count += t < turns;
                }
            }
        return count;
    }

    const Edges& edges_;
    std::uint64_t epoch_;
    Stripes stripes_;
    std::vector<Found> found_;
};

template <int K>
class Moves {
  public:
    Moves(const Edges& edges, const Sampling& how, const double* points, std::size_t m, std::size_t k)
        : edges_(edges), how_(how), points_(points), m_(m), k_(k), pairs_(points, m, k, how), moves_(Stripes(m, kSmallest).height * k) {}

    // Where the points of a stripe go, written to `after` (m, k).
    void stripe(const Due& due, std::size_t s, std::size_t part, double* after) {
        const std::size_t first = due.stripes().begin(s), rows = due.stripes().end(s) - first;
        std::fill_n(moves_.data(), rows * k_, 0.0);
        for (const Event& event : due.events(s, part)) {
            const std::size_t at = event.code / 2;
            const std::size_t odd = (event.code & 1) ^ static_cast<std::size_t>(event.row < edges_.others[at]);  // of two ends one has the odd point
            const std::size_t drawn = (how_.negatives + odd) / 2;
            if (!pairs_.has_room(1 + drawn)) pairs_.flush(first, moves_.data());
            pairs_.add(event.row, edges_.others[at], mix(how_.stream + kGolden * event.code), drawn);
        }
        pairs_.flush(first, moves_.data());
        const double* own = points_ + first * k_;
        for (std::size_t at = 0; at < rows * k_; ++at) after[first * k_ + at] = own[at] + how_.step * moves_[at];
    }

  private:
    const Edges& edges_;
    const Sampling& how_;
    const double* points_;
    std::size_t m_, k_;
    Pairs<K> pairs_;
    std::vector<double> moves_;
};

template <int K>
void epoch(const Edges& edges, const Sampling& how, std::size_t m, std::size_t k, const Runtime& runtime, double* points) {
    Due due(edges, m, how.epoch);
    const std::size_t stripes = due.stripes().count(), pairs = m > 0 ? static_cast<std::size_t>(edges.ends[m - 1]) : 0;
    const double work = 20.0 * static_cast<double>(pairs) * static_cast<double>(2 + how.negatives);
    for_stripes(stripes, work / 8, runtime, [] { return 0; }, [&](std::size_t s, int&) { due.collect(s); });
    Team team(useful_threads(runtime, stripes, work));
    Clock clock(runtime);
    std::vector<double> after(m * k), now(points, points + m * k);
    std::vector<Moves<K>> moves;
    for (std::size_t t = 0; t < team.size(); ++t) moves.emplace_back(edges, how, now.data(), m, k);
    for (std::size_t part = 0; part < kParts; ++part) {
        team.share(stripes, [&](std::size_t s, std::size_t t) { moves[t].stripe(due, s, part, after.data()); });
        std::copy(after.begin(), after.end(), now.begin());
        clock.poll();
    }
    std::copy(now.begin(), now.end(), points);
}

const Register registered([](nb::module_& m) {
    m.def("embedding_sampled", [](Full<double> points, Codes ends, Vector<std::int32_t> others, Vector<std::uint32_t> rate,
                                  Vector<std::uint32_t> phase, Optional<Input> share, Optional<Vector<std::int32_t>> alias, double a, double b, double room, double push,
                                  std::size_t negatives, std::uint64_t seed, double step, std::uint64_t number, int threads, Output out) {
        const std::size_t rows = points.shape(0), k = points.shape(1);
        expect("ends", ends, rows);
        expect("share", share, rows);
        expect("alias", alias, share ? rows : 0);
        expect("out", out, rows * k);
        if (share.has_value() != alias.has_value()) throw nb::value_error("share and alias go together");
        const std::size_t pairs = rows > 0 ? static_cast<std::size_t>(ends.data()[rows - 1]) : 0;
        expect("others", others, pairs);
        expect("rate", rate, pairs);
        expect("phase", phase, pairs);
        const Edges edges{ends.data(), others.data(), rate.data(), phase.data()};
        const Sampling how{{a, b, room}, push, step, negatives, pointer(share), pointer(alias), mix(seed + kGolden * number), number};
        double* places = out.data();
        std::copy_n(points.data(), rows * k, places);
        call(threads, [&](const Runtime& r) { with_coordinates(k, [&]<int K>() { epoch<K>(edges, how, rows, k, r, places); }); });
    }, nb::arg("points"), nb::arg("ends"), nb::arg("others"), nb::arg("rate"), nb::arg("phase"), nb::arg("share").none(), nb::arg("alias").none(), nb::arg("a"),
       nb::arg("b"), nb::arg("room"), nb::arg("push"), nb::arg("negatives"), nb::arg("seed"), nb::arg("step"), nb::arg("number"),
       nb::arg("threads"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
