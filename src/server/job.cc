#include "server/job.h"

#include <fmt/core.h>

#include <new>

namespace umf {
namespace {

// Rollouts that may wait for a client.
constexpr std::size_t kPendingEvents = 4096;

}  // namespace

std::optional<JobEvent> Job::next(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!news_.wait_for(lock, patience, [&] { return !events_.empty(); })) return std::nullopt;
  JobEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Job::cancel(Cancel reason) {
  Cancel none = Cancel::kNone;
  cancelled_.compare_exchange_strong(none, reason);
  stop_.request_stop();
}

JobOutcome Job::run(int device) {
  device_ = device;
  start_ = Clock::now();
  const JobOutcome end = attempt();
  task_.reset();  // its memory is the next job's
  return end;
}

JobOutcome Job::attempt() {
  const auto stop_clock = [&] {
    seconds_ = std::chrono::duration<double>(Clock::now() - start_).count();
  };
  try {
    Completion completion = task_->run(*this);
    stop_clock();
    nfe_ = completion.nfe;
    deliver(std::move(completion));
    return JobOutcome::kDone;
  } catch (const Interrupted&) {
    stop_clock();
    deliver(explanation());
    return JobOutcome::kCancelled;
  } catch (const ApiError& error) {
    deliver(error);
  } catch (const Error& mistake) {  // what only the attempt could find out
    deliver(ApiError(400, mistake.what()));
  } catch (const std::bad_alloc&) {
    deliver(ApiError(500, "out of memory; ask for a shorter answer"));
  } catch (const std::exception& failure) {
    deliver(ApiError(500, failure.what()));
  }
  stop_clock();
  return JobOutcome::kFailed;
}

void Job::text(int choice, std::string piece) { deliver(TextPiece{choice, std::move(piece)}); }

void Job::finished(int choice, const std::string& reason, const nlohmann::ordered_json& umf) {
  deliver(ChoiceEnd{choice, reason, umf});
}

void Job::state(int choice, Json state) { deliver(StateNews{choice, std::move(state)}); }

void Job::rollout(Json event) { deliver(RolloutNews{std::move(event)}); }

void Job::deliver(JobEvent event) {
  const std::lock_guard lock(mutex_);
  if (const auto* piece = std::get_if<TextPiece>(&event); piece != nullptr && !events_.empty()) {
    auto* last = std::get_if<TextPiece>(&events_.back());
    if (last != nullptr && last->choice == piece->choice) {
      last->text += piece->text;
      return;
    }
  }
  // Behind what is already waiting, so that a state never shows less than the text before it.
  if (std::holds_alternative<StateNews>(event)) {
    std::erase_if(events_, [](const JobEvent& waiting) {
      return std::holds_alternative<StateNews>(waiting);
    });
  }
  if (std::holds_alternative<RolloutNews>(event) && events_.size() >= kPendingEvents)
    return cancel(Cancel::kClientSlow);
  events_.push_back(std::move(event));
  news_.notify_one();
}

ApiError Job::explanation() const {
  switch (cancelled_.load()) {
    case Cancel::kTimeLimit:
      return {504,
              fmt::format("the request took longer than the server's limit of {} s; ask for less",
                          time_limit_.count()),
              "", "time_limit"};
    case Cancel::kShutdown:
      return {503, "the server is shutting down; try again later", "", "shutting_down"};
    case Cancel::kStopped:
      return {409, "stopped before there was an answer", "", "stopped"};
    case Cancel::kLogFull:
      return {413, "so much happened that it cannot be kept; ask for a smaller budget", "",
              "story_full"};
    case Cancel::kClientSlow:
      return {503, "the events were not read as fast as they came", "", "too_slow"};
    default:
      return {503, "the client left", "", "cancelled"};
  }
}

}  // namespace umf
