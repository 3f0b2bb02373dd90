#include "reward/sympy_algebra.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "reward/tester.h"
#include "sandbox/sandbox.h"

namespace umf {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{512} << 20;

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kAdd:
      return "add";
    case Kind::kMul:
      return "mul";
    case Kind::kPow:
      return "pow";
    case Kind::kSum:
      return "sum";
    case Kind::kProduct:
      return "product";
    case Kind::kIntegral:
      return "integral";
    case Kind::kLimit:
      return "limit";
    case Kind::kDerivative:
      return "derivative";
    default:
      throw MathLimit("nothing that SymPy is asked about");
  }
}

// The tree as plain data, which sympy_equal.py builds SymPy's objects from.
Json as_data(const Expr& e) {
  switch (e->kind) {
    case Kind::kNumber:
      return {"number", e->value.get_num().get_str(), e->value.get_den().get_str()};
    case Kind::kFloat:
      return {"float", e->real};
    case Kind::kConstant:
      return {"constant", e->name};
    case Kind::kSymbol:
      return {"symbol", e->name, e->is_real};
    default:
      break;
  }
  Json args = Json::array();
  for (const Expr& arg : e->args) args.push_back(as_data(arg));
  if (is(e, Kind::kFunction)) return {"function", e->name, std::move(args)};
  if (is(e, Kind::kApplied)) return {"applied", e->name, std::move(args)};
  args.insert(args.begin(), kind_name(e->kind));
  return args;
}

class SympyAlgebra final : public ComputerAlgebra {
 public:
  SympyAlgebra(std::function<Sandbox&()> sandbox, int cpu_seconds)
      : sandbox_(std::move(sandbox)), cpu_seconds_(cpu_seconds) {}

  std::optional<bool> equal(const Expr& a, const Expr& b) override {
    PythonJob job{"sympy_equal", "", {}};
    job.limits.cpu_ms = cpu_seconds_ * 1000;
    job.limits.wall_ms = 4 * job.limits.cpu_ms;  // a busy machine must not change verdicts
    job.limits.memory_bytes = kMemoryBytes;
    Sandbox* sandbox = nullptr;
    try {
      job.payload = Json{{"a", as_data(a)}, {"b", as_data(b)}}.dump(-1, ' ', true,
                                                                    Json::error_handler_t::replace);
      sandbox = &sandbox_();
    } catch (const Error&) {
      return std::nullopt;  // no sandbox here: the question stays open, and the verdict says so
    } catch (const MathLimit&) {
      return std::nullopt;
    }
    const PythonResult result = run_patiently(*sandbox, job);
    // What else ends the job may be the expressions' doing.
    if (result.machine) throw Error(fmt::format("the sandbox failed: {}", result.reason));
    try {
      if (result.ending != Ending::kExited || result.reports.empty()) return std::nullopt;
      const Json report = parse_json(result.reports, "SymPy's report");
      if (!report.contains("equal")) return std::nullopt;
      return report["equal"].get<bool>();
    } catch (const Error&) {
      return std::nullopt;
    }
  }

 private:
  std::function<Sandbox&()> sandbox_;
  int cpu_seconds_;
};

}  // namespace

std::unique_ptr<ComputerAlgebra> make_sympy_algebra(std::function<Sandbox&()> sandbox,
                                                    int cpu_seconds) {
  return std::make_unique<SympyAlgebra>(std::move(sandbox), cpu_seconds);
}

}  // namespace umf
