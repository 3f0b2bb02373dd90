#include "server/job.h"

#include <fmt/core.h>

#include <new>

namespace umf {
namespace {

// Text and states of a client that reads slowly are joined; of rollouts this many may wait.
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
}

JobOutcome Job::run() {
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
    post(std::move(completion));
    return JobOutcome::kDone;
  } catch (const Interrupted&) {
    stop_clock();
    post(explanation());
    return JobOutcome::kCancelled;
  } catch (const ApiError& error) {
    post(error);
  } catch (const Error& mistake) {  // what only the attempt could find out
    post(ApiError(400, mistake.what()));
  } catch (const std::bad_alloc&) {
    post(ApiError(500, "out of memory; ask for a shorter answer"));
  } catch (const std::exception& failure) {
    post(ApiError(500, failure.what()));
  }
  stop_clock();
  return JobOutcome::kFailed;
}

bool Job::wanted() {
  if (time_limit_.count() > 0 && Clock::now() - start_ > time_limit_) cancel(Cancel::kTimeLimit);
  return cancelled_ == Cancel::kNone;
}

void Job::text(int choice, std::string piece) {
  const std::lock_guard lock(mutex_);
  auto* last = events_.empty() ? nullptr : std::get_if<TextPiece>(&events_.back());
  if (last != nullptr && last->choice == choice)
    last->text += piece;
  else
    events_.push_back(TextPiece{choice, std::move(piece)});
  news_.notify_one();
}

void Job::finished(int choice, const std::string& reason, const nlohmann::ordered_json& umf) {
  post(ChoiceEnd{choice, reason, umf});
}

// Behind what is already waiting, so that a state never shows less than the text before it.
void Job::state(int choice, Json state) {
  const std::lock_guard lock(mutex_);
  std::erase_if(events_,
                [](const JobEvent& event) { return std::holds_alternative<StateNews>(event); });
  events_.push_back(StateNews{choice, std::move(state)});
  news_.notify_one();
}

void Job::rollout(Json event) {
  const std::lock_guard lock(mutex_);
  if (events_.size() >= kPendingEvents) return cancel(Cancel::kClientSlow);
  events_.push_back(RolloutNews{std::move(event)});
  news_.notify_one();
}

void Job::post(JobEvent event) {
  const std::lock_guard lock(mutex_);
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
    case Cancel::kClientSlow:
      return {503, "the events were not read as fast as they came", "", "too_slow"};
    default:
      return {503, "the client left", "", "cancelled"};
  }
}

}  // namespace umf
