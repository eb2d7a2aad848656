// Parts that several threads make in any order and that are taken in theirs, by whoever brings the one that was missing:
// nobody waits. One that was taken is used again, as long as there are more to make.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace suffice {

template <class Part>
class InOrder {
  public:
    explicit InOrder(std::size_t count) : brought_(count) {}

    std::unique_ptr<Part> blank() {
        std::lock_guard lock(mutex_);
        auto found = used_.empty() ? std::make_unique<Part>() : std::move(used_.back());
        if (!used_.empty()) used_.pop_back();
        if (++begun_ == brought_.size()) used_.clear();
        return found;
    }

    // Calls take(part, again) for this part and those after it, as far as they are there; whether the part is used again.
    template <class Take>
    void bring(std::size_t place, std::unique_ptr<Part> part, const Take& take) {
        std::unique_lock lock(mutex_);
        brought_[place] = std::move(part);
        if (taking_) return;  // the thread that takes them sees it
        taking_ = true;
        for (; next_ < brought_.size() && brought_[next_]; ++next_) {
            auto own = std::move(brought_[next_]);
            const bool again = begun_ < brought_.size() && used_.empty();
            lock.unlock();
            take(*own, again);
            lock.lock();
            if (again && begun_ < brought_.size()) used_.push_back(std::move(own));
        }
        taking_ = false;
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Part>> brought_, used_;
    std::size_t begun_ = 0, next_ = 0;
    bool taking_ = false;
};

}  // namespace suffice
