// The searches by name: one table, which command lines, files, requests and lists go through.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "search/search_setup.h"
#include "solve/solve.h"

namespace umf {

struct SearchEntry {
  SearchFacts facts;
  SearchOptions (*options)();  // the defaults
  // A search of walks is made, and solve() runs it; any other one runs the world by itself.
  std::unique_ptr<Search> (*make)(const SearchSetup& setup) = nullptr;
  Solution (*run)(World& world, const SearchSetup& setup, const SolveOptions& limits,
                  const Observer& observer) = nullptr;
  // The search that it runs for each half of the actions, with half of the budget.
  std::string (*method)(const ChosenOptions& options) = nullptr;
};

// A class is a search by what it has: kFacts, Options where it has any, and make(), run() or a
// constructor from the setup.
template <class Kind>
constexpr SearchEntry entry_of() {
  SearchEntry entry{Kind::kFacts, [] { return SearchOptions(NoOptions()); }};
  if constexpr (requires { typename Kind::Options; })
    entry.options = [] { return SearchOptions(typename Kind::Options()); };
  if constexpr (std::constructible_from<Kind, const SearchSetup&>)
    entry.make = [](const SearchSetup& setup) -> std::unique_ptr<Search> {
      return std::make_unique<Kind>(setup);
    };
  if constexpr (requires { &Kind::make; }) entry.make = Kind::make;
  if constexpr (requires { &Kind::run; }) entry.run = Kind::run;
  if constexpr (requires { &Kind::method; }) entry.method = Kind::method;
  return entry;
}

std::span<const SearchEntry> searches();
// The name of the first.
std::string default_search();

// Throws Error with the name that was probably meant, or with all.
const SearchEntry& find_search(std::string_view name);
// The search that does the work: itself, or the method of one that runs others.
const SearchEntry& working_search(const SearchEntry& entry, const ChosenOptions& options);

// A search of walks. Throws Error when it is none, or cannot take the setup.
std::unique_ptr<Search> make_search(std::string_view name, const SearchSetup& setup);

// Throws what run_search() would throw before its first pass.
void check_search(const SearchEntry& entry, const SearchSetup& setup);

// Called before the first trial of a search of walks; both live as long as the run.
using SearchBegun = std::function<void(const Search& search, const RolloutCache& known)>;

// Searches the world. The setup's cache is the run's own.
Solution run_search(const SearchEntry& entry, SearchSetup setup, World& world,
                    const SolveOptions& limits, const Observer& observer = {},
                    const SearchBegun& begun = {});

}  // namespace umf
