// What a search is made from, and what front ends know of it: its name, its traits and its options.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "search/search.h"

namespace umf {

class RolloutCache;

struct SearchTraits {
  bool anytime = true;      // a larger budget begins as a smaller one does: one run gives both
  bool resumable = true;    // its walks can be written down, and a later run goes on from there
  bool works_ahead = true;  // asks for whole walks, which can be begun before their turn
  bool one_action = false;  // takes one action, not a list
  bool remasks = false;     // one trajectory that masks cells again, as long as the budget
};

struct SearchFacts {
  std::string_view name, summary;
  SearchTraits traits = {};
};

struct OptionField {
  const char* name;
  const char* help;
  std::variant<bool*, int*, double*, std::string*> value;
};

// The options of one search, a value: front ends see fields, the search sees its own struct, whose
// visit() names each field once.
class SearchOptions {
 public:
  template <class Options>
  explicit SearchOptions(Options options) : value_(std::move(options)), list_(list<Options>) {}

  std::vector<OptionField> fields() { return list_(value_); }  // they point into this
  template <class Options>
  const Options& as() const {
    return *std::any_cast<Options>(&value_);
  }

 private:
  template <class Options>
  static std::vector<OptionField> list(std::any& value) {
    std::vector<OptionField> fields;
    std::any_cast<Options>(&value)->visit([&](auto& field, const char* name, const char* help) {
      fields.push_back({name, help, &field});
    });
    return fields;
  }

  std::any value_;
  std::vector<OptionField> (*list_)(std::any&);
};

// Of a search that has none.
struct NoOptions {
  template <class Visitor>
  void visit(Visitor&&) {}
};

// By the name of their search. A search that is not there has its defaults.
class ChosenOptions {
 public:
  template <class Kind>
  typename Kind::Options of() const {
    const auto chosen = by_name_.find(Kind::kFacts.name);
    return chosen == by_name_.end() ? typename Kind::Options()
                                    : chosen->second.template as<typename Kind::Options>();
  }
  template <class Kind>
  void set(typename Kind::Options options) {
    by_name_.insert_or_assign(std::string(Kind::kFacts.name), SearchOptions(std::move(options)));
  }
  SearchOptions& at(std::string_view name, SearchOptions (*defaults)()) {
    return by_name_.try_emplace(std::string(name), defaults()).first->second;
  }

 private:
  std::map<std::string, SearchOptions, std::less<>> by_name_;
};

struct SearchSetup {
  Place root = {};
  int actions = 1;
  std::uint64_t seed = 0;
  long budget = 12288;
  ChosenOptions options = {};
  const RolloutCache* cache = nullptr;  // of the run; outlives the search
  int first_action = 0;                 // what the cache calls action 0 of this search
  // Makes another search, for one that consists of several.
  std::unique_ptr<Search> (*make_search)(std::string_view name, const SearchSetup&) = nullptr;
};

}  // namespace umf
