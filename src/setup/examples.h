// The problems of examples/, built into the program.
#pragma once

#include <string>
#include <vector>

namespace umf {

struct Example {
  std::string name, kind, about;
  std::string needs;  // a model that is not embedded, in words; empty: the embedded ones will do
};

// In the order of examples/index.json; the first is what `umf solve` solves without arguments.
std::vector<Example> examples();

// Throws Error for an unknown name.
Example find_example(const std::string& name);
// The text of the problem file.
std::string example_problem(const Example& example);

}  // namespace umf
