// A request that cannot be answered, in the terms of the API.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace umf {

class ApiError : public Error {
 public:
  // `param` is the field of the request, where one is to blame; `code` is for programs.
  ApiError(int status, const std::string& message, std::string param = "", std::string code = "")
      : Error(message), status_(status), param_(std::move(param)), code_(std::move(code)) {}

  int status() const { return status_; }
  const std::string& param() const { return param_; }
  const std::string& code() const { return code_; }

 private:
  int status_;
  std::string param_, code_;
};

// The request itself is wrong.
inline ApiError bad_request(const std::string& param, const std::string& message) {
  return {400, param.empty() ? message : "'" + param + "' " + message, param};
}

}  // namespace umf
