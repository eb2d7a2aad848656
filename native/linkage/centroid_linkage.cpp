// Hierarchies of centroids in O(n) memory: Ward by merging all pairs that are nearest to each other at once, centroid and
// median by always merging the two nearest.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/binding.hpp"
#include "linkage/bounds.hpp"
#include "linkage/centroid_field.hpp"
#include "linkage/linkage.hpp"

namespace suffice {
namespace {

// Who is nearest to whom. With Ward's linkage a union is never nearer to a third cluster than its parts were, so what a
// cluster knows stays true until its neighbour is merged, and bounds what it will find then. Those that others are
// nearest to look first, and the half with the least bounds where these are few; all of them at the same time.
class Reciprocal {
  public:
    Reciprocal(CentroidField& field, std::size_t n, const Runtime& runtime)
        : field_(field), runtime_(runtime), poll_(runtime), nearest_(n), next_(n) {
        ask_all();
    }

    void run(Merges merges) {
        while (field_.active() > 1) {
            if (asked_.size() <= waiting_.size() / 8) ask_half();  // so that there is work for all threads
            const std::vector<std::size_t> searched = std::move(asked_);
            asked_.clear();
            search(searched);
            for (std::size_t a : searched)
                if (field_.has(a) && state_[a] == State::known && is_mutual(a)) merge(a, nearest_[a].slot, merges);
            if (asked_.empty() && waiting_.empty()) merge_closest(merges);  // equal distances that go round in a circle
        }
    }

  private:
    static constexpr std::size_t kNone = CentroidField::kNone;
    enum class State : char { known, waiting, asked };

    void ask_all() {
        const std::size_t n = nearest_.size();
        first_follower_.assign(n, kNone);
        hint_.assign(n, kNone);
        state_.assign(n, State::asked);
        asked_.clear();
        waiting_.clear();
        for (std::size_t a = 0; a < n; ++a)
            if (field_.has(a)) asked_.push_back(a);
    }

    void ask(std::size_t a) {
        state_[a] = State::asked;
        asked_.push_back(a);
    }

    void ask_half() {
        std::erase_if(waiting_, [&](std::size_t a) { return !field_.has(a) || state_[a] != State::waiting; });
        const auto middle = waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_.size() / 2);
        std::nth_element(waiting_.begin(), middle, waiting_.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(nearest_[a].value, a) < std::pair(nearest_[b].value, b);
        });
        const auto end = middle == waiting_.end() ? middle : middle + 1;
        std::for_each(waiting_.begin(), end, [&](std::size_t a) {
            if (state_[a] == State::waiting) ask(a);  // some stand there twice
        });
        waiting_.erase(waiting_.begin(), end);
        std::sort(asked_.begin(), asked_.end());
    }

    void search(const std::vector<std::size_t>& slots) {
        std::vector<CentroidField::Found> found(slots.size());
        const Stripes stripes(slots.size(), 4);
        for_stripes(
            stripes.count(), field_.search_operations() * static_cast<double>(slots.size()), runtime_,
            [] { return CentroidField::Scratch{}; },
            [&](std::size_t s, CentroidField::Scratch& scratch) {
                for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
                    found[i] = field_.nearest<WardScale>(slots[i], scratch, hint(slots[i]));
            });
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const std::size_t a = slots[i], b = found[i].slot;
            nearest_[a] = found[i];
            state_[a] = State::known;
            next_[a] = first_follower_[b];
            first_follower_[b] = a;
        }
        for (std::size_t a : slots)
            if (state_[nearest_[a].slot] == State::waiting) ask(nearest_[a].slot);
    }

    std::size_t hint(std::size_t a) const { return hint_[a] != kNone && field_.has(hint_[a]) ? hint_[a] : kNone; }

    bool is_mutual(std::size_t a) const {
        const std::size_t b = nearest_[a].slot;
        return state_[b] == State::known && nearest_[b].slot == a;
    }

    void merge_closest(Merges& merges) {
        std::size_t best = kNone;
        for (std::size_t a = 0; a < nearest_.size(); ++a)
            if (field_.has(a) && (best == kNone || nearest_[a].value < nearest_[best].value)) best = a;
        merge(best, nearest_[best].slot, merges);
        ask_all();
    }

    // The union stands in the later slot.
    void merge(std::size_t a, std::size_t b, Merges& merges) {
        const std::size_t x = std::min(a, b), y = std::max(a, b);
        merges.add(x, y, std::sqrt(2 * nearest_[a].value));
        field_.merge(x, y, field_.size(x) / (field_.size(x) + field_.size(y)));
        std::size_t near = kNone;
        for (std::size_t part : {x, y}) {
            for (std::size_t i = first_follower_[part]; i != kNone; i = next_[i])
                if (i != x && i != y) forget(near = i, y);
            first_follower_[part] = kNone;
        }
        forget(y, near);
        poll_();
    }

    // What is nearest to i is no longer known; `near` is likely to be near.
    void forget(std::size_t i, std::size_t near) {
        hint_[i] = near;
        if (first_follower_[i] != kNone) return ask(i);
        state_[i] = State::waiting;
        waiting_.push_back(i);
    }

    CentroidField& field_;
    const Runtime& runtime_;
    Poll poll_;
    std::vector<CentroidField::Found> nearest_;       // by slot; the distance bounds what a waiting one will find
    std::vector<std::size_t> next_, first_follower_;  // lists of the clusters whose nearest a cluster is
    std::vector<State> state_;
    std::vector<std::size_t> asked_, waiting_;
    std::vector<std::size_t> hint_;  // where to look first
};

class Closest {
  public:
    Closest(CentroidField& field, std::size_t n, const Runtime& runtime)
        : field_(field), poll_(runtime), neighbour_(n), version_(n, 0), seen_(n, 0), bounds_(start(n, runtime)) {}

    void run(bool is_median, Merges merges) {
        while (field_.active() > 1) {
            const std::size_t a = bounds_.least(), b = neighbour_[a];
            poll_();
            if (!field_.has(b) || version_[b] != seen_[a]) {
                search(a);
                continue;
            }
            const std::size_t x = std::min(a, b), y = std::max(a, b);
            merges.add(x, y, std::sqrt(bounds_.at(a)));
            const double share = is_median ? 0.5 : field_.size(x) / (field_.size(x) + field_.size(y));
            field_.merge(x, y, share);
            ++version_[y];
            bounds_.set(x, std::numeric_limits<double>::infinity());
            tell(y);
        }
    }

  private:
    std::vector<double> start(std::size_t n, const Runtime& runtime) {
        std::vector<double> bound(n);
        const Stripes stripes(n, 16);
        for_stripes(
            stripes.count(), field_.search_operations() * static_cast<double>(n), runtime,
            [] { return CentroidField::Scratch{}; },
            [&](std::size_t s, CentroidField::Scratch& scratch) {
                for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
                    const auto found = field_.nearest<PlainScale>(i, scratch);
                    neighbour_[i] = found.slot;
                    bound[i] = found.value;
                }
            });
        return bound;
    }

    void search(std::size_t i) {
        const auto found = field_.nearest<PlainScale>(i, scratch_);
        adopt(i, found.slot, found.value);
    }

    void adopt(std::size_t i, std::size_t other, double squared) {
        neighbour_[i] = other;
        seen_[i] = version_[other];
        bounds_.set(i, squared);
    }

    // The new cluster may be nearer to others than what they knew.
    void tell(std::size_t y) {
        CentroidField::Found own;
        field_.for_all(y, [&](std::size_t i, double squared) {
            if (squared < bounds_.at(i)) adopt(i, y, squared);
            if (squared < own.value) own = {i, squared};
        });
        if (own.slot != CentroidField::kNone) adopt(y, own.slot, own.value);
    }

    CentroidField& field_;
    Poll poll_;
    CentroidField::Scratch scratch_;
    std::vector<std::size_t> neighbour_;
    std::vector<std::uint32_t> version_, seen_;
    Bounds bounds_;
};

const Register registered([](nb::module_& m) {
    m.def("centroid_linkage", [](Full<double> x, Input weight, const std::string& linkage, int threads,
                                 Result<std::int64_t> pair, Output height) {
        const std::size_t n = x.shape(0), d = x.shape(1);
        expect("weight", weight, n);
        std::vector<double> points(x.data(), x.data() + n * d);
        const Merges merges = merges_of(pair, height, n, x.shape(1));
        const double* sizes = weight.data();
        call(threads, [&](const Runtime& runtime) {
            CentroidField field(std::move(points), d, sizes);
            if (linkage == "ward")
                Reciprocal(field, n, runtime).run(merges);
            else
                Closest(field, n, runtime).run(linkage == "median", merges);
        });
    }, nb::arg("x"), nb::arg("weight"), nb::arg("linkage"), nb::arg("threads"),
       nb::arg("pair"), nb::arg("height"));
});

}  // namespace
}  // namespace suffice
