#include "server/job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "server/metrics.h"

namespace umf {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class ScriptedTask final : public DeviceTask {
 public:
  explicit ScriptedTask(std::function<Completion(Listener&)> script) : script_(std::move(script)) {}
  Completion run(Listener& listener) override { return script_(listener); }

 private:
  std::function<Completion(Listener&)> script_;
};

// Waits for what only its stop source ends, as for a judge.
class WaitingTask final : public DeviceTask {
 public:
  Completion run(Listener&) override {
    std::promise<void> stopped;
    const std::stop_callback wake(stop_source().get_token(), [&] { stopped.set_value(); });
    stopped.get_future().wait();
    throw Interrupted();
  }
};

std::shared_ptr<Job> job_of(std::function<Completion(Listener&)> script,
                            seconds limit = seconds(0)) {
  return std::make_shared<Job>(std::make_unique<ScriptedTask>(std::move(script)), limit);
}

// Works until nobody wants it any more.
Completion work_until_unwanted(Listener& listener) {
  while (listener.wanted()) std::this_thread::sleep_for(milliseconds(1));
  throw Interrupted();
}

// A job that runs until it is told to end, and says when it has begun. It lives longer than the
// queue, which waits for its jobs.
struct Gate {
  std::promise<void> begun, open;
  std::shared_ptr<Job> job = job_of([this](Listener&) {
    begun.set_value();
    open.get_future().wait();
    return Completion{.nfe = 7};
  });
};

// The last event; waits for it.
JobEvent last_event(Job& job) {
  for (;;) {
    auto event = job.next(seconds(20));
    if (!event) throw std::runtime_error("the job does not end");
    if (std::holds_alternative<Completion>(*event) || std::holds_alternative<ApiError>(*event))
      return *event;
  }
}

ApiError error_of(Job& job) { return std::get<ApiError>(last_event(job)); }

TEST(JobQueue, JobsRunOneAtATimeInTheirOrder) {
  JobQueue queue(10);
  std::atomic<int> inside = 0;
  std::vector<int> order;
  std::vector<std::shared_ptr<Job>> jobs;
  for (int i = 0; i < 10; ++i) {
    jobs.push_back(job_of([&, i](Listener&) {
      EXPECT_EQ(++inside, 1);
      order.push_back(i);
      --inside;
      return Completion{.nfe = 1};
    }));
    queue.submit(jobs.back());
  }
  for (const auto& job : jobs) EXPECT_TRUE(std::holds_alternative<Completion>(last_event(*job)));
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(JobQueue, ARequestTooManyIsRefusedAndTheOthersStay) {
  Gate running;
  JobQueue queue(1);
  queue.submit(running.job);
  running.begun.get_future().wait();
  const auto waiting = job_of([](Listener&) { return Completion{}; });
  queue.submit(waiting);
  try {
    queue.submit(job_of([](Listener&) { return Completion{}; }));
    ADD_FAILURE() << "taken";
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), 429);
  }
  EXPECT_GE(queue.retry_after_seconds(), 1);
  running.open.set_value();
  EXPECT_TRUE(std::holds_alternative<Completion>(last_event(*waiting)));
}

TEST(JobQueue, AClientThatLeavesTakesItsJobAlong) {
  JobQueue queue(5);
  std::promise<void> begun;
  const auto running = job_of([&](Listener& listener) {
    begun.set_value();
    return work_until_unwanted(listener);
  });
  queue.submit(running);
  begun.get_future().wait();
  bool ran = false;
  const auto waiting = job_of([&](Listener&) {
    ran = true;
    return Completion{};
  });
  queue.submit(waiting);
  queue.abandon(waiting, Cancel::kClientGone);
  queue.abandon(running, Cancel::kClientGone);
  EXPECT_EQ(error_of(*running).code(), "cancelled");
  const auto next = job_of([](Listener&) { return Completion{}; });
  queue.submit(next);
  last_event(*next);
  EXPECT_FALSE(ran);
  EXPECT_EQ(queue.counts().cancelled, 2);
}

TEST(JobQueue, AJobThatTakesTooLongIsEnded) {
  JobQueue queue(5);
  const auto job = job_of(work_until_unwanted, seconds(1));
  queue.submit(job);
  const ApiError error = error_of(*job);
  EXPECT_EQ(error.status(), 504);
  EXPECT_THAT(error.what(), HasSubstr("limit of 1 s"));
}

TEST(JobQueue, AJobThatAsksNobodyIsEndedAllTheSame) {
  JobQueue queue(5);
  const auto waiting_job = [](seconds limit) {
    return std::make_shared<Job>(std::make_unique<WaitingTask>(), limit);
  };
  const auto late = waiting_job(seconds(1)), left = waiting_job(seconds(0)),
             last = waiting_job(seconds(1000));
  for (const auto& job : {late, left, last}) queue.submit(job);
  EXPECT_EQ(error_of(*late).code(), "time_limit");
  queue.abandon(left, Cancel::kClientGone);
  EXPECT_EQ(error_of(*left).code(), "cancelled");
  while (queue.counts().waiting > 0) std::this_thread::sleep_for(milliseconds(1));
  queue.close(seconds(0));
  EXPECT_EQ(error_of(*last).code(), "shutting_down");
}

TEST(JobQueue, ATimeLimitIsTheJobsOwn) {
  JobQueue queue(5);
  const auto brief = job_of([](Listener&) { return Completion{}; }, seconds(1));
  const auto next = job_of([](Listener& listener) {
    std::this_thread::sleep_for(seconds(2));
    EXPECT_TRUE(listener.wanted());
    return Completion{};
  });
  queue.submit(brief);
  queue.submit(next);
  EXPECT_TRUE(std::holds_alternative<Completion>(last_event(*next)));
}

TEST(JobQueue, ClosingRefusesWhatWaitsAndLetsTheRunningJobEnd) {
  Gate running;
  JobQueue queue(5);
  queue.submit(running.job);
  running.begun.get_future().wait();
  const auto waiting = job_of([](Listener&) { return Completion{}; });
  queue.submit(waiting);
  auto closing = std::async(std::launch::async, [&] { queue.close(seconds(60)); });
  EXPECT_EQ(error_of(*waiting).status(), 503);
  running.open.set_value();
  closing.wait();
  EXPECT_TRUE(std::holds_alternative<Completion>(last_event(*running.job)));
  EXPECT_THROW(queue.submit(waiting), ApiError);
}

TEST(JobQueue, ClosingEndsAJobAfterTheGraceTime) {
  JobQueue queue(5);
  const auto job = job_of(work_until_unwanted);
  queue.submit(job);
  queue.close(seconds(0));
  EXPECT_EQ(error_of(*job).code(), "shutting_down");
}

TEST(JobQueue, AFailureIsTheJobsOwn) {
  JobQueue queue(5);
  const auto mistaken = job_of([](Listener&) -> Completion { throw Error("the prompt is wrong"); });
  const auto broken = job_of([](Listener&) -> Completion { throw std::runtime_error("disk"); });
  const auto greedy = job_of([](Listener&) -> Completion { throw std::bad_alloc(); });
  const auto fine = job_of([](Listener&) { return Completion{.nfe = 3}; });
  for (const auto& job : {mistaken, broken, greedy, fine}) queue.submit(job);
  EXPECT_EQ(error_of(*mistaken).status(), 400);
  EXPECT_EQ(error_of(*broken).status(), 500);
  EXPECT_EQ(error_of(*greedy).status(), 500);
  EXPECT_EQ(std::get<Completion>(last_event(*fine)).nfe, 3);
  queue.close(seconds(1));
  EXPECT_EQ(queue.counts().failed, 3);
  EXPECT_EQ(queue.counts().done, 1);
  EXPECT_EQ(queue.counts().nfe, 3);
}

// Two jobs at once: each waits for the other to have begun.
TEST(JobQueue, AsManyJobsRunAtOnceAsThereAreDevices) {
  Gate one, other;
  JobQueue queue(5, 2);
  queue.submit(one.job);
  queue.submit(other.job);
  one.begun.get_future().wait();
  other.begun.get_future().wait();
  bool ran = false;
  const auto third = job_of([&](Listener&) {
    ran = true;
    return Completion{};
  });
  queue.submit(third);
  const QueueCounts now = queue.counts();
  EXPECT_EQ(now.running, 2);
  EXPECT_EQ(now.waiting, 1);
  ASSERT_EQ(now.devices.size(), 2);
  for (const DeviceCounts& device : now.devices) EXPECT_EQ(device.running, 1);
  EXPECT_FALSE(ran);
  other.open.set_value();
  last_event(*third);
  EXPECT_TRUE(ran) << "the device that is free takes the next";
  one.open.set_value();
  last_event(*one.job);
  queue.close(seconds(20));
  long jobs = 0, nfe = 0;
  for (const DeviceCounts& device : queue.counts().devices) {
    EXPECT_EQ(device.running, 0);
    jobs += device.jobs;
    nfe += device.nfe;
  }
  EXPECT_EQ(jobs, 3);
  EXPECT_EQ(nfe, 14);
}

TEST(JobQueue, JobsKnowTheirDeviceAndBeginInTheirOrder) {
  JobQueue queue(40, 3);
  std::mutex mutex;
  std::vector<int> begun, inside(3);
  std::vector<std::shared_ptr<Job>> jobs;
  for (int i = 0; i < 30; ++i) {
    jobs.push_back(job_of([&, i](Listener& listener) {
      const int device = listener.device();
      {
        const std::lock_guard lock(mutex);
        const auto before = std::ranges::count_if(begun, [&](int other) { return other < i; });
        EXPECT_LE(i - before, 2) << "those before it have begun, or are about to on other devices";
        begun.push_back(i);
        EXPECT_EQ(++inside.at(device), 1) << "one at a time on a device";
      }
      std::this_thread::yield();
      const std::lock_guard lock(mutex);
      --inside[device];
      return Completion{};
    }));
  }
  for (const auto& job : jobs) queue.submit(job);
  for (const auto& job : jobs) last_event(*job);
  EXPECT_EQ(begun.size(), 30);
}

TEST(JobQueue, AFailureOnOneDeviceDoesNotDisturbTheOther) {
  Gate steady;
  JobQueue queue(50, 2);
  queue.submit(steady.job);
  steady.begun.get_future().wait();
  std::vector<std::shared_ptr<Job>> broken;
  for (int i = 0; i < 10; ++i) {
    broken.push_back(job_of([i](Listener&) -> Completion {
      if (i % 3 == 0) throw std::runtime_error("disk");
      if (i % 3 == 1) throw std::bad_alloc();
      throw Interrupted();
    }));
    queue.submit(broken.back());
  }
  for (const auto& job : broken) EXPECT_TRUE(std::holds_alternative<ApiError>(last_event(*job)));
  // A job's last event goes out before its device is idle again.
  while (queue.counts().failed + queue.counts().cancelled < 10)
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(queue.counts().running, 1);
  steady.open.set_value();
  EXPECT_EQ(std::get<Completion>(last_event(*steady.job)).nfe, 7);
}

TEST(JobQueue, TimeLimitsAndCancellationsAreOfOneDeviceAlone) {
  Gate steady;
  std::promise<void> begun;
  JobQueue queue(5, 3);
  const auto left = job_of([&](Listener& listener) {
    begun.set_value();
    return work_until_unwanted(listener);
  });
  const auto late = job_of(work_until_unwanted, seconds(1));
  queue.submit(left);
  queue.submit(steady.job);
  queue.submit(late);
  begun.get_future().wait();
  steady.begun.get_future().wait();
  EXPECT_EQ(error_of(*late).code(), "time_limit");
  queue.abandon(left, Cancel::kClientGone);
  EXPECT_EQ(error_of(*left).code(), "cancelled");
  steady.open.set_value();
  EXPECT_TRUE(std::holds_alternative<Completion>(last_event(*steady.job)));
  queue.close(seconds(20));
  EXPECT_EQ(queue.counts().cancelled, 2);
  EXPECT_EQ(queue.counts().done, 1);
}

TEST(JobQueue, ClosingEndsTheJobsOfAllDevices) {
  JobQueue queue(5, 2);
  const auto one = job_of(work_until_unwanted), other = job_of(work_until_unwanted),
             waiting = job_of(work_until_unwanted);
  for (const auto& job : {one, other, waiting}) queue.submit(job);
  while (queue.counts().running < 2) std::this_thread::sleep_for(milliseconds(1));
  queue.close(seconds(0));
  for (const auto& job : {one, other, waiting}) EXPECT_EQ(error_of(*job).code(), "shutting_down");
}

TEST(JobQueue, AsManyMayWaitWhateverTheDevices) {
  Gate one, other;
  JobQueue queue(1, 2);
  queue.submit(one.job);
  queue.submit(other.job);
  one.begun.get_future().wait();
  other.begun.get_future().wait();
  const auto waiting = job_of([](Listener&) { return Completion{}; });
  queue.submit(waiting);
  EXPECT_THROW(queue.submit(job_of([](Listener&) { return Completion{}; })), ApiError);
  one.open.set_value();
  other.open.set_value();
  last_event(*waiting);
}

TEST(Job, TextOfASlowReaderIsJoinedAndStatesAreReplaced) {
  const auto job = job_of([](Listener& listener) {
    listener.text(0, "a");
    listener.text(0, "b");
    listener.state(0, {{"pass", 1}});
    listener.state(0, {{"pass", 2}});
    listener.text(1, "c");
    return Completion{};
  });
  job->run();
  EXPECT_EQ(std::get<TextPiece>(*job->next(seconds(1))).text, "ab");
  EXPECT_EQ(std::get<StateNews>(*job->next(seconds(1))).state["pass"], 2);
  EXPECT_EQ(std::get<TextPiece>(*job->next(seconds(1))).choice, 1);
  EXPECT_TRUE(std::holds_alternative<Completion>(*job->next(seconds(1))));
  EXPECT_EQ(job->next(milliseconds(1)), std::nullopt);
}

TEST(Job, AClientThatReadsNoRolloutsDoesNotFillTheMemory) {
  long told = 0;
  const auto job = job_of([&](Listener& listener) -> Completion {
    for (; listener.wanted() && told < 1000000; ++told) listener.rollout({{"iteration", told}});
    throw Interrupted();
  });
  job->run();
  EXPECT_LT(told, 10000);
}

TEST(Metrics, CountsInPrometheusFormat) {
  Metrics metrics;
  metrics.count_request("/health", 200);
  metrics.count_request("/health", 200);
  metrics.count_tokens(3, 4);
  const std::string text = metrics.text({.waiting = 5, .done = 6, .nfe = 7});
  EXPECT_THAT(text, HasSubstr("umf_requests_total{endpoint=\"/health\",status=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\numf_jobs_waiting 5\n"));
  EXPECT_THAT(text, HasSubstr("umf_jobs_total{end=\"done\"} 6\n"));
  EXPECT_THAT(text,
              HasSubstr("# TYPE umf_forward_passes_total counter\numf_forward_passes_total 7\n"));
  EXPECT_THAT(text, HasSubstr("umf_completion_tokens_total 4\n"));
}

TEST(Metrics, TellOfEachDevice) {
  const std::string text = Metrics().text(
      {.devices = {{.running = 1, .jobs = 2, .nfe = 3, .busy_seconds = 0.5}, {.jobs = 9}}});
  EXPECT_THAT(text, HasSubstr("# TYPE umf_device_jobs_running gauge\n"
                              "umf_device_jobs_running{device=\"0\"} 1\n"
                              "umf_device_jobs_running{device=\"1\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("\numf_device_jobs_total{device=\"1\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("\numf_device_busy_seconds_total{device=\"0\"} 0.5\n"));
  EXPECT_THAT(text, HasSubstr("\numf_device_forward_passes_total{device=\"0\"} 3\n"));
}

}  // namespace
}  // namespace umf
