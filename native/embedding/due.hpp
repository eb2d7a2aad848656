// Which edges of a map are due in an epoch, and in which part of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/parallel.hpp"

namespace suffice {

inline constexpr std::size_t kParts = 8;              // of an epoch, in each of which all points move once
inline constexpr std::uint64_t kTurn = 1u << 31;      // by which the clock of an edge goes on until it is due
inline constexpr std::size_t kSmallestStripe = 64;    // points

struct Edges {
    const std::int64_t* ends;    // (m): those of point i from ends[i - 1] to ends[i]
    const std::int32_t* others;  // all below m
    const std::uint32_t *rate, *phase;

    std::size_t begin(std::size_t i) const { return i ? static_cast<std::size_t>(ends[i - 1]) : 0; }
};

// An edge that is due: its point, its number, twice, and whether an odd number of turns is behind it.
struct Event {
    std::int32_t row;
    std::uint32_t code;
};

// Memory is taken once, so that nothing throws while threads share the work.
class Due {
  public:
    // What one thread notes before it is put in order.
    class Notes {
      public:
        explicit Notes(std::size_t room) : events(new Event[room + 1]), part(new std::uint8_t[room + 1]) {}
        std::unique_ptr<Event[]> events;
        std::unique_ptr<std::uint8_t[]> part;
    };

    Due(const Edges& edges, std::size_t m) : edges_(edges), stripes_(m, kSmallestStripe), found_(stripes_.count()) {
        for (std::size_t s = 0; s < found_.size(); ++s) {
            std::size_t most = 0;
            const auto last = static_cast<std::size_t>(edges.ends[stripes_.end(s) - 1]);
            for (std::size_t at = edges.begin(stripes_.begin(s)); at < last; ++at) most += edges.rate[at] / kTurn + 1;
            found_[s].events.reset(new Event[most + 1]);
            room_ = std::max(room_, most);
        }
    }

    const Stripes& stripes() const { return stripes_; }
    Notes notes() const { return Notes(room_ + 1); }

    std::span<const Event> events(std::size_t s, std::size_t part) const {
        const Found& own = found_[s];
        return {own.events.get() + own.begin[part], own.begin[part + 1] - own.begin[part]};
    }

    void collect(std::size_t s, std::uint64_t epoch, Notes& notes) {
        const std::size_t count = find(s, epoch, notes.events.get(), notes.part.get());
        Found& own = found_[s];
        own.begin.fill(0);
        for (std::size_t e = 0; e < count; ++e) ++own.begin[notes.part[e] + 1];
        for (std::size_t p = 0; p < kParts; ++p) own.begin[p + 1] += own.begin[p];
        std::array<std::size_t, kParts> next;
        std::copy_n(own.begin.begin(), kParts, next.begin());
        for (std::size_t e = 0; e < count; ++e) own.events[next[notes.part[e]]++] = notes.events[e];
    }

  private:
    struct Found {
        std::unique_ptr<Event[]> events;  // those of one part after the other
        std::array<std::size_t, kParts + 1> begin;
    };

    // Each edge is due at most twice; what is written behind the last event is overwritten or left.
    std::size_t find(std::size_t s, std::uint64_t epoch, Event* events, std::uint8_t* part) const {
        std::size_t count = 0;
        for (std::size_t i = stripes_.begin(s); i < stripes_.end(s); ++i)
            for (std::size_t at = edges_.begin(i), last = static_cast<std::size_t>(edges_.ends[i]); at < last; ++at) {
                const std::uint64_t rate = edges_.rate[at], before = edges_.phase[at] + rate * epoch;
                const std::uint64_t turn = before / kTurn + 1, turns = (before + rate) / kTurn + 1 - turn;
                const double unit = static_cast<double>(kParts) / static_cast<double>(std::max<std::uint64_t>(rate, 1));
                double when = static_cast<double>(turn * kTurn - before) * unit;
                for (std::uint64_t t = 0; t < 2; ++t, when += static_cast<double>(kTurn) * unit) {
                    events[count] = {static_cast<std::int32_t>(i), static_cast<std::uint32_t>(2 * at + ((turn + t) & 1))};
                    part[count] = static_cast<std::uint8_t>(std::min<std::int64_t>(static_cast<std::int64_t>(when), kParts - 1));
                    count += t < turns;
                }
            }
        return count;
    }

    const Edges& edges_;
    Stripes stripes_;
    std::vector<Found> found_;
    std::size_t room_ = 0;
};

}  // namespace suffice
