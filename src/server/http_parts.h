// What the handlers of requests share. cpp-httplib stays behind http_*.cc and live_routes.cc.
#pragma once

#include <httplib.h>

#include <string>

#include "server/connection.h"
#include "server/request_head.h"
#include "server/service.h"

namespace umf {

inline constexpr const char* kJsonType = "application/json";
// How often a connection that waits looks whether its client is still there.
inline constexpr std::chrono::milliseconds kPatience{100};

// The connection that this thread serves, and the head of the request that it answers: as it was
// sent, which the library's own headers, with their escapes resolved, are not.
extern thread_local Connection* current_connection;
extern thread_local const RequestHead* current_head;

void answer(httplib::Response& response, const ApiError& error);

// Answers what `work` throws.
template <class Work>
void guarded(Service& service, httplib::Response& response, Work&& work) {
  try {
    work();
  } catch (const ApiError& error) {
    answer(response, error);
    if (error.status() == 429)
      response.set_header("Retry-After", std::to_string(service.retry_after_seconds()));
  } catch (const std::exception& failure) {
    answer(response, ApiError(500, failure.what()));
  }
}

// A web page can post text and forms to any address without being asked, but no JSON. Throws
// ApiError 415.
void require_json();

// Of the current request, straight from its connection: the library takes "0x4c" for the size of a
// chunk. Throws ApiError for a body that is too large, too slow or not framed as HTTP has it.
std::string read_body(std::size_t limit);

// A stream of server-sent events. `next` gives the text that is new, or nothing for now, and
// says through its argument when the stream is over; `gone` is called at the end of all.
void stream_events(httplib::Response& response, std::function<std::string(bool& over)> next,
                   std::function<void()> gone);

}  // namespace umf
