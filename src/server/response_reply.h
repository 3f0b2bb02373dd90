// Replies of /v1/responses, and the events of its streams.
#pragma once

#include <string>

#include "server/api_reply.h"
#include "server/api_request.h"

namespace umf {

// What a reply repeats of its request, and what there is nothing to say about.
OrderedJson response_echo(const ApiRequest& request);

std::string response_body(const ReplyHead& head, const OrderedJson& echo,
                          const Completion& completion);

// The server-sent events of one response, one text per event of its job.
class ResponseStream {
 public:
  ResponseStream(ReplyHead head, OrderedJson echo)
      : head_(std::move(head)), echo_(std::move(echo)) {}

  std::string event(const JobEvent& event);
  bool done() const { return done_; }

 private:
  std::string begin();
  std::string piece(const TextPiece& piece);
  std::string close(const Completion& completion);
  std::string fail(const ApiError& error);
  std::string told(const std::string& type, OrderedJson fields);
  OrderedJson place() const;  // of the text in the output

  ReplyHead head_;
  OrderedJson echo_;
  std::string text_;
  int number_ = 0;  // of the next event
  bool begun_ = false, done_ = false;
};

}  // namespace umf
