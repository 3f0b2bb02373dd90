// Replies and the events of a stream, in the shapes that OpenAI's clients read.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/json.h"
#include "server/job.h"

namespace umf {

// What all parts of one reply have in common.
struct ReplyHead {
  bool chat = true;
  std::string id, model, fingerprint;
  std::int64_t created = 0;  // seconds since 1970
};

OrderedJson error_json(const ApiError& error);
std::string error_body(const ApiError& error);
std::string completion_body(const ReplyHead& head, const Completion& completion);

// The server-sent events of one request, one text per event of its job.
class EventStream {
 public:
  EventStream(ReplyHead head, bool include_usage)
      : head_(std::move(head)), include_usage_(include_usage) {}

  std::string event(const JobEvent& event);
  bool done() const { return done_; }
  // Says nothing; shows both ends that the other is there.
  static std::string keep_alive() { return ": waiting\n\n"; }

 private:
  std::string begin(int choice);
  std::string piece(const TextPiece& piece);
  std::string end(const ChoiceEnd& end);
  std::string close(const Completion& completion);
  OrderedJson chunk(OrderedJson choices) const;

  ReplyHead head_;
  bool include_usage_, done_ = false;
  std::set<int> begun_;
};

}  // namespace umf
