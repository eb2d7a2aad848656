// Threads that stay for one call and share many small pieces of work, each of which would be over before a thread starts.
#pragma once

#include "core/parallel.hpp"

namespace suffice {

class Team {
  public:
    explicit Team(int threads) {
        try {
            for (int t = 1; t < threads; ++t) helpers_.emplace_back([this, t] { serve(static_cast<std::size_t>(t)); });
        } catch (const std::system_error&) {
            // The system gives no more threads: those that started do the work.
        }
    }
    ~Team() {
        {
            std::lock_guard lock(mutex_);
            over_ = true;
            ++round_;
        }
        begun_.notify_all();
        for (auto& helper : helpers_) helper.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    std::size_t size() const { return helpers_.size() + 1; }

    // Calls work(part, thread), which must not throw, for every part; the calling thread is number 0.
    template <class Work>
    void share(std::size_t parts, const Work& work) {
        if (helpers_.empty() || parts < 2) {
            for (std::size_t p = 0; p < parts; ++p) work(p, std::size_t{0});
            return;
        }
        call_ = [](const void* w, std::size_t p, std::size_t t) { (*static_cast<const Work*>(w))(p, t); };
        work_ = &work;
        parts_ = parts;
        done_ = 0;
        left_ = static_cast<std::ptrdiff_t>(parts);
        ++round_;
        if (sleeping_ > 0) {
            { std::lock_guard lock(mutex_); }
            begun_.notify_all();
        }
        take(0);
        for (int spins = 0; done_ < parts; ++spins) rest(spins);  // for parts that were taken, not for threads asleep
    }

  private:
    static constexpr int kSpins = 4000;  // some tens of microseconds

    void serve(std::size_t thread) {
        for (std::size_t seen = 0;;) {
            for (int spins = 0; spins < kSpins && round_ == seen; ++spins) breathe();
            if (round_ == seen) {
                std::unique_lock lock(mutex_);
                ++sleeping_;
                begun_.wait(lock, [&] { return round_ != seen; });
                --sleeping_;
            }
            seen = round_;
            if (over_) return;
            take(thread);
        }
    }
    // A part that was taken keeps the caller from going on, so that the work is still that of its round.
    void take(std::size_t thread) {
        std::size_t own = 0;
        for (std::ptrdiff_t left = left_--; left > 0; left = left_--, ++own)
            call_(work_, parts_ - static_cast<std::size_t>(left), thread);
        if (own > 0) done_ += own;
    }
    static void rest(int spins) { spins < kSpins ? breathe() : std::this_thread::yield(); }

    std::vector<std::thread> helpers_;
    std::mutex mutex_;
    std::condition_variable begun_;
    // Each on a line of its own: what helpers wait for, and what they count down and up.
    alignas(64) std::atomic<std::size_t> round_{0};
    std::atomic<bool> over_{false};
    std::atomic<std::size_t> sleeping_{0};
    alignas(64) std::atomic<std::ptrdiff_t> left_{0};
    alignas(64) std::atomic<std::size_t> done_{0};
    std::size_t parts_ = 0;
    const void* work_ = nullptr;
    void (*call_)(const void*, std::size_t, std::size_t) = nullptr;
};

}  // namespace suffice
