#include "setup/examples.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/nearest.h"
#include "built_in.h"

namespace umf {
namespace {

Folder folder() { return built_in_examples().front(); }

}  // namespace

std::vector<Example> examples() {
  const std::string index = "index.json";
  std::vector<Example> list;
  for (const Json& entry : parse_json(folder().read(index), folder().place(index))) {
    list.push_back(
        {entry.at("name"), entry.at("kind"), entry.at("about"), entry.value("needs", "")});
  }
  return list;
}

Example find_example(const std::string& name) {
  std::vector<std::string> names;
  for (const Example& example : examples()) {
    if (example.name == name) return example;
    names.push_back(example.name);
  }
  const std::string near = nearest(name, names);
  throw Error(fmt::format(
      "there is no example '{}'. {}", name,
      near.empty() ? "umf solve --list-examples shows them all" : "Did you mean " + near + "?"));
}

std::string example_problem(const Example& example) {
  return folder().read(example.name + ".json");
}

}  // namespace umf
