#include "base/verdict.h"

namespace umf {

const char* name_of(TestOutcome outcome) {
  switch (outcome) {
    case TestOutcome::kPass:
      return "pass";
    case TestOutcome::kWrong:
      return "wrong";
    case TestOutcome::kError:
      return "error";
    case TestOutcome::kTimeout:
      return "timeout";
    case TestOutcome::kMemory:
      return "memory";
    case TestOutcome::kCrash:
      return "crash";
    case TestOutcome::kSandboxError:
      return "sandbox-error";
  }
  return "?";
}

}  // namespace umf
