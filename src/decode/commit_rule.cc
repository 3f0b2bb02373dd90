#include "decode/commit_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"

namespace umf {
namespace {

// The lower bound that Fréchet's inequality gives for n cells being right together falls with n;
// what is left of it must exceed the bound even where the least sure of them is wrong once more.
std::size_t surely_right_together(std::span<const Offer> offers, std::span<const int> surest,
                                  float bound) {
  double sum = 0;
  std::size_t count = 0;
  for (const int index : surest) {
    const double probability = offers[index].probability;
    sum += probability;
    if (sum - static_cast<double>(count) - (1 - probability) <= bound) break;
    ++count;
  }
  return count;
}

}  // namespace

CommitRule parse_commit_rule(const std::string& text) {
  if (text == "one") return {};
  for (const auto& [name, kind] : {std::pair{"tau:", CommitRule::Kind::kTau},
                                   std::pair{"frechet:", CommitRule::Kind::kFrechet}}) {
    if (!text.starts_with(name)) continue;
    const std::string number = text.substr(std::string_view(name).size());
    CommitRule rule{kind};
    const char* const end = number.data() + number.size();
    const auto [stop, failure] = std::from_chars(number.data(), end, rule.bound);
    if (failure == std::errc() && stop == end && rule.bound > 0 && rule.bound <= 1) return rule;
    throw Error(fmt::format("commit={}NUMBER takes a number above 0 and at most 1, not '{}'", name,
                            number));
  }
  throw Error(fmt::format(
      "there is no commit rule '{}'. Choose one, tau:NUMBER (as tau:0.95) or frechet:NUMBER",
      text));
}

std::string name_of(const CommitRule& rule) {
  if (rule.kind == CommitRule::Kind::kOne) return "one";
  return fmt::format("{}:{}", rule.kind == CommitRule::Kind::kTau ? "tau" : "frechet", rule.bound);
}

std::vector<int> text_first(std::span<const Offer> offers) {
  const bool any_text = std::ranges::any_of(offers, [](const Offer& offer) { return !offer.ends; });
  std::vector<int> eligible;
  for (int i = 0; std::cmp_less(i, offers.size()); ++i) {
    if (!(any_text && offers[i].ends)) eligible.push_back(i);
  }
  return eligible;
}

std::vector<int> sure_offers(const CommitRule& rule, std::span<const Offer> offers) {
  if (rule.kind == CommitRule::Kind::kOne) return {};
  std::vector<int> eligible = text_first(offers);
  if (rule.kind == CommitRule::Kind::kTau) {
    std::erase_if(eligible, [&](int i) { return offers[i].probability < rule.bound; });
    return eligible;
  }
  std::ranges::stable_sort(
      eligible, [&](int a, int b) { return offers[a].probability > offers[b].probability; });
  eligible.resize(surely_right_together(offers, eligible, rule.bound));
  std::ranges::sort(eligible);
  return eligible;
}

}  // namespace umf
