// Epochs of sampled attraction and repulsion: edges pull their ends together when they are due, and each time some points drawn
// at random push one end away (McInnes, Healy and Melville, 2018).
//
// All points move at once, several times an epoch, and what is drawn depends on the seed, the epoch and the edge alone: the
// same bits for any number of threads.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/binding.hpp"
#include "core/clock.hpp"
#include "core/mixing.hpp"
#include "core/team.hpp"
#include "core/vectors.hpp"
#include "embedding/drawn_pairs.hpp"
#include "embedding/due.hpp"

namespace suffice {
namespace {

// Edges, and a point drawn for each, by which the objective is looked at.
struct Sample {
    const std::int32_t *rows, *others, *against;
    std::size_t count;
};

// Where each epoch leads: steps (epochs), and the two parts of the objective.
struct Course {
    std::uint64_t seed, first;
    const double* steps;
    std::size_t epochs;
    double *pulls, *pushes;
};

template <int K>
class Mover {
  public:
    Mover(const Edges& edges, const Sampling& how, const Due& due, std::size_t m, std::size_t k)
        : edges_(edges), due_(due), k_(K ? K : k), pairs_(m, k, how), moves_(due.stripes().height * k), notes_(due.notes()) {}

    Due::Notes& notes() { return notes_; }

    // Where the points of a stripe go, (m, k).
    void move(std::size_t s, std::size_t part, std::uint64_t stream, double step, const double* points, double* after) {
        const std::size_t first = due_.stripes().begin(s), cells = (due_.stripes().end(s) - first) * k_;
        std::fill_n(moves_.data(), cells, 0.0);
        for (const Event& event : due_.events(s, part)) {
            const std::int32_t other = edges_.others[event.code / 2];
            const bool odd = ((event.code & 1) != 0) != (event.row < other);  // of two ends one has the odd point
            if (pairs_.is_full()) pairs_.flush(points, first, moves_.data());
            pairs_.add(event.row, other, mix(stream + kGolden * event.code), odd);
        }
        pairs_.flush(points, first, moves_.data());
        const double* own = points + first * k_;
        for (std::size_t at = 0; at < cells; ++at) after[first * k_ + at] = own[at] + step * moves_[at];
    }

  private:
    const Edges& edges_;
    const Due& due_;
    std::size_t k_;
    Pairs<K> pairs_;
    std::vector<double> moves_;
    Due::Notes notes_;
};

// The mean of −log ν over the edges of a sample, or of −log(1 − ν) over the points drawn against them.
double looked_at(const Sample& sample, const std::int32_t* others, bool near, const Curve& curve, const double* points, std::size_t k) {
    double sum = 0;
    for (std::size_t begin = 0; begin < sample.count; begin += kLanes) {
        const auto count = static_cast<int>(std::min<std::size_t>(kLanes, sample.count - begin));
        double squared[kLanes] = {};
        for (int l = 0; l < count; ++l) {
            const double* own = points + static_cast<std::size_t>(sample.rows[begin + l]) * k;
            const double* other = points + static_cast<std::size_t>(others[begin + l]) * k;
            for (std::size_t c = 0; c < k; ++c) squared[l] += (own[c] - other[c]) * (own[c] - other[c]);
        }
        const Looks look = looks(load(squared) + curve.room, curve);
        const Vec share = (near ? look.near : look.far) / look.sum, least = broadcast(1e-300);
        const Vec value = log_normal(share > least ? share : least);
        for (int l = 0; l < count; ++l) sum -= value[l];
    }
    return sum / static_cast<double>(std::max<std::size_t>(sample.count, 1));
}

template <int K>
void follow(const Edges& edges, const Sampling& how, const Sample& sample, const Course& course, std::size_t m, std::size_t k,
            const Runtime& runtime, double* points) {
    Due due(edges, m);
    const std::size_t stripes = due.stripes().count(), pairs = m > 0 ? static_cast<std::size_t>(edges.ends[m - 1]) : 0;
    const double work = 20.0 * static_cast<double>(course.epochs * pairs * (2 + how.negatives));
    Team team(useful_threads(runtime, stripes, work));
    Clock clock(runtime);
    std::vector<double> room(points, points + m * k);
    std::vector<Mover<K>> movers;
    for (std::size_t t = 0; t < team.size(); ++t) movers.emplace_back(edges, how, due, m, k);
    double *now = points, *after = room.data();
    for (std::size_t e = 0; e < course.epochs; ++e) {
        const std::uint64_t epoch = course.first + e, stream = mix(course.seed + kGolden * epoch);
        team.share(stripes, [&](std::size_t s, std::size_t t) { due.collect(s, epoch, movers[t].notes()); });
        for (std::size_t part = 0; part < kParts; ++part) {
            team.share(stripes, [&](std::size_t s, std::size_t t) { movers[t].move(s, part, stream, course.steps[e], now, after); });
            std::swap(now, after);
            clock.poll();
        }
        course.pulls[e] = looked_at(sample, sample.others, true, how.curve, now, k);
        course.pushes[e] = looked_at(sample, sample.against, false, how.curve, now, k);
    }
    static_assert(kParts % 2 == 0, "an epoch ends where it began, in the memory of the points");
}

using Numbers = Vector<std::int32_t>;
using Turns = Vector<std::uint32_t>;

const Register registered([](nb::module_& m) {
    m.def("embedding_sampled", [](Output points, Codes ends, Numbers others, Turns rate, Turns phase, double a, double b, double room,
                                  double push, std::size_t negatives, std::uint64_t seed, Optional<Input> share,
                                  Optional<Numbers> alias, Numbers rows, Numbers drawn, Numbers against, Input steps,
                                  std::uint64_t first, int threads, Output pulls, Output pushes) {
        const std::size_t n = points.shape(0), k = points.shape(1), pairs = others.size();
        expect("ends", ends, n);
        expect_ends("ends", ends, pairs);
        expect_below("others", others, n, 0, threads);
        expect("rate", rate, pairs);
        expect("phase", phase, pairs);
        expect("share", share, n);
        expect("alias", alias, n);
        if (share.has_value() != alias.has_value()) throw nb::value_error("share and alias go together");
        expect_below("alias", alias, n);
        expect_below("rows", rows, n);
        expect("drawn", drawn, rows.size());
        expect_below("drawn", drawn, n);
        expect("against", against, rows.size());
        expect_below("against", against, n);
        expect("pulls", pulls, steps.size());
        expect("pushes", pushes, steps.size());
        const Edges edges{ends.data(), others.data(), rate.data(), phase.data()};
        const Sampling how{{a, b, room}, push, negatives, pointer(share), pointer(alias)};
        const Sample sample{rows.data(), drawn.data(), against.data(), rows.size()};
        const Course course{seed, first, steps.data(), steps.size(), pulls.data(), pushes.data()};
        double* places = points.data();
        call(threads, [&](const Runtime& r) { with_coordinates(k, [&]<int K>() { follow<K>(edges, how, sample, course, n, k, r, places); }); });
    }, nb::arg("points"), nb::arg("ends"), nb::arg("others"), nb::arg("rate"), nb::arg("phase"), nb::arg("a"), nb::arg("b"),
       nb::arg("room"), nb::arg("push"), nb::arg("negatives"), nb::arg("seed"), nb::arg("share").none(), nb::arg("alias").none(),
       nb::arg("rows"), nb::arg("drawn"), nb::arg("against"), nb::arg("steps"), nb::arg("first"), nb::arg("threads"),
       nb::arg("pulls"), nb::arg("pushes"));
});

}  // namespace
}  // namespace suffice
