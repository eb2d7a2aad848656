// Threads that stay awake for the many short tasks of one call, where starting threads for each would cost more than it
// spares. A task is cut into parts; who is free takes the next one, so nobody waits for a thread that does not come.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/parallel.hpp"

namespace suffice {

class Team {
  public:
    // `threads` with the caller, who alone gives tasks.
    explicit Team(int threads) {
        try {
            for (int t = 1; t < threads; ++t) helpers_.emplace_back([this] { help(); });
        } catch (const std::system_error&) {
            // The system gives no more threads: those that started do the work.
        }
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    ~Team() {
        stop_ = true;
        wake();
        for (auto& helper : helpers_) helper.join();
    }

    std::size_t threads() const { return helpers_.size() + 1; }

    // Calls work(part) for every part, of which there are at most 65,535; work must not throw.
    template <class Work>
    void run(std::size_t parts, const Work& work) {
        if (parts < 2 || helpers_.empty() || is_alone()) {
            for (std::size_t part = 0; part < parts; ++part) work(part);
            return;
        }
        work_ = &work;
        call_ = [](const void* task, std::size_t part) { (*static_cast<const Work*>(task))(part); };
        done_.store(0, std::memory_order_relaxed);
        ticket_ = ++tasks_ << 32 | parts << 16;
        if (sleeping_ > 0) wake();
        std::size_t own = 0;
        for (std::size_t part; take(part); ++own) work(part);
        for (int spins = 0; spins < kSpins && !is_done(parts - own); ++spins) breathe();
        if (!is_done(parts - own)) wait_long(parts - own);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kSpins = 2000;  // some tens of microseconds
    static constexpr int kAlone = 32;    // times as long as it waited, the caller works alone

    bool is_done(std::size_t parts) const { return done_.load(std::memory_order_acquire) == parts; }

    // Other programs keep a thread from the part that it has taken; where that happens often, helpers do not help.
    void wait_long(std::size_t parts) {
        const auto begin = Clock::now();
        while (!is_done(parts)) std::this_thread::yield();
        const auto now = Clock::now();
        alone_until_ = now + kAlone * (now - begin);
        has_waited_ = true;
    }

    bool is_alone() { return has_waited_ && (has_waited_ = Clock::now() < alone_until_); }

    // The next part of the task, if there is one. A ticket has the number of the task, its parts and the next of them, so
    // that nobody takes a part of a task that is over.
    bool take(std::size_t& part) {
        std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
        while ((ticket & 0xffff) < (ticket >> 16 & 0xffff))
            if (ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) {
                part = ticket & 0xffff;
                return true;
            }
        return false;
    }

    void help() {
        for (int idle = 0; !stop_;) {
            if (std::size_t part; take(part)) {
                call_(work_, part);
                done_.fetch_add(1, std::memory_order_release);
                idle = 0;
            } else if (++idle < kSpins) {
                breathe();
            } else {
                sleep();
                idle = 0;
            }
        }
    }

    void sleep() {
        std::unique_lock lock(mutex_);
        const std::uint64_t before = ticket_ >> 32;
        ++sleeping_;
        awake_.wait(lock, [&] { return stop_ || ticket_ >> 32 != before; });
    }

    void wake() {
        {
            std::lock_guard lock(mutex_);
            sleeping_ = 0;
        }
        awake_.notify_all();
    }

    std::vector<std::thread> helpers_;
    const void* work_ = nullptr;
    void (*call_)(const void*, std::size_t) = nullptr;
    std::uint64_t tasks_ = 0;
    Clock::time_point alone_until_{};
    bool has_waited_ = false;
    alignas(64) std::atomic<std::uint64_t> ticket_{0};
    alignas(64) std::atomic<std::size_t> done_{0};
    alignas(64) std::atomic<int> sleeping_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable awake_;
};

}  // namespace suffice
