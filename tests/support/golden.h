// The figures that every implementation of the search must reproduce
// (docs/algorithm.md#golden-figures), at a window of 768.
#pragma once

#include <algorithm>
#include <span>

namespace umf::golden {

using Actions = std::span<const int>;

inline double equal(Actions) { return 0; }

inline double share(Actions actions, int wanted) {
  return static_cast<double>(std::count(actions.begin(), actions.end(), wanted)) / actions.size();
}
inline double share_of_0(Actions actions) { return share(actions, 0); }
inline double share_of_1(Actions actions) { return share(actions, 1); }

// (sum over the levels d = 1, 2, ... of (factor * action + shift) * d^power mod `modulus`) /
// (modulus - 1)
inline double modular(Actions actions, int factor, int shift, int power, int modulus) {
  long sum = 0, level = 1;
  for (const int action : actions) {
    sum += (factor * action + shift) * (power == 2 ? level * level : level * level * level);
    ++level;
  }
  return static_cast<double>(sum % modulus) / (modulus - 1);
}
inline double mod_7(Actions actions) { return modular(actions, 1, 1, 2, 7); }
inline double mod_11(Actions actions) { return modular(actions, 3, 1, 3, 11); }
inline double mod_13(Actions actions) { return modular(actions, 1, 2, 2, 13); }

struct Row {
  const char* name;
  double (*rewards)(Actions);
  int actions;
  long budget, misses, hits, saved_full, saved_capped, switches;
  int nodes, depth;
  double best;
};

// What a separate simulator of the search, written before this one, gives for these rewards.
inline constexpr Row kRows[] = {
    {"equal", equal, 2, 500, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"equal", equal, 2, 768, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"equal", equal, 2, 1536, 2, 0, 0, 0, 1, 3, 1, 0.000000},
    {"equal", equal, 2, 3072, 5, 6, 3838, 1998, 3, 12, 3, 0.000000},
    {"equal", equal, 2, 6144, 10, 14, 8134, 8134, 6, 25, 4, 0.000000},
    {"equal", equal, 2, 12288, 22, 30, 15494, 15494, 15, 53, 5, 0.000000},
    {"equal", equal, 2, 24576, 52, 62, 27782, 27782, 34, 115, 6, 0.000000},
    {"share of action 0", share_of_0, 2, 500, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"share of action 0", share_of_0, 2, 768, 1, 0, 0, 0, 0, 2, 1, 1.000000},
    {"share of action 0", share_of_0, 2, 1536, 2, 0, 0, 0, 1, 3, 1, 1.000000},
    {"share of action 0", share_of_0, 2, 3072, 5, 4, 2533, 1767, 1, 10, 4, 1.000000},
    {"share of action 0", share_of_0, 2, 6144, 10, 9, 5295, 5295, 4, 20, 5, 1.000000},
    {"share of action 0", share_of_0, 2, 12288, 24, 29, 14195, 14195, 10, 54, 7, 1.000000},
    {"share of action 0", share_of_0, 2, 24576, 57, 66, 27703, 27703, 31, 124, 7, 1.000000},
    {"share of action 1", share_of_1, 2, 500, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"share of action 1", share_of_1, 2, 768, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"share of action 1", share_of_1, 2, 1536, 2, 0, 0, 0, 1, 3, 1, 1.000000},
    {"share of action 1", share_of_1, 2, 3072, 5, 4, 2533, 1767, 2, 10, 4, 1.000000},
    {"share of action 1", share_of_1, 2, 6144, 10, 9, 5295, 5295, 5, 20, 5, 1.000000},
    {"share of action 1", share_of_1, 2, 12288, 24, 29, 14195, 14195, 11, 54, 7, 1.000000},
    {"share of action 1", share_of_1, 2, 24576, 57, 66, 27703, 27703, 32, 124, 7, 1.000000},
    {"mod 7", mod_7, 2, 500, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"mod 7", mod_7, 2, 768, 1, 0, 0, 0, 0, 2, 1, 0.166667},
    {"mod 7", mod_7, 2, 1536, 2, 0, 0, 0, 1, 3, 1, 0.333333},
    {"mod 7", mod_7, 2, 3072, 5, 5, 3224, 2304, 4, 11, 3, 0.333333},
    {"mod 7", mod_7, 2, 6144, 11, 14, 7750, 7294, 7, 26, 6, 1.000000},
    {"mod 7", mod_7, 2, 12288, 23, 30, 14962, 13919, 14, 54, 6, 1.000000},
    {"mod 7", mod_7, 2, 24576, 56, 70, 29160, 28795, 34, 127, 7, 1.000000},
    {"mod 11", mod_11, 2, 500, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"mod 11", mod_11, 2, 768, 1, 0, 0, 0, 0, 2, 1, 0.900000},
    {"mod 11", mod_11, 2, 1536, 2, 0, 0, 0, 1, 3, 1, 0.900000},
    {"mod 11", mod_11, 2, 3072, 5, 5, 3070, 2458, 2, 11, 4, 0.900000},
    {"mod 11", mod_11, 2, 6144, 11, 12, 6676, 6676, 6, 24, 6, 0.900000},
    {"mod 11", mod_11, 2, 12288, 25, 30, 13814, 13814, 15, 56, 7, 1.000000},
    {"mod 11", mod_11, 2, 24576, 57, 68, 27934, 27295, 31, 126, 7, 1.000000},
    {"equal, 3 actions", equal, 3, 500, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"equal, 3 actions", equal, 3, 768, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"equal, 3 actions", equal, 3, 1536, 2, 0, 0, 0, 1, 3, 1, 0.000000},
    {"equal, 3 actions", equal, 3, 3072, 5, 3, 2073, 2073, 4, 9, 2, 0.000000},
    {"equal, 3 actions", equal, 3, 6144, 9, 3, 2073, 2073, 6, 13, 2, 0.000000},
    {"equal, 3 actions", equal, 3, 12288, 19, 12, 7599, 7599, 10, 32, 3, 0.000000},
    {"equal, 3 actions", equal, 3, 24576, 41, 39, 22098, 22098, 20, 81, 4, 0.000000},
    {"mod 13, 3 actions", mod_13, 3, 500, 1, 0, 0, 0, 0, 2, 1, 0.000000},
    {"mod 13, 3 actions", mod_13, 3, 768, 1, 0, 0, 0, 0, 2, 1, 0.416667},
    {"mod 13, 3 actions", mod_13, 3, 1536, 2, 0, 0, 0, 1, 3, 1, 0.416667},
    {"mod 13, 3 actions", mod_13, 3, 3072, 5, 2, 1382, 768, 4, 8, 2, 0.833333},
    {"mod 13, 3 actions", mod_13, 3, 6144, 9, 5, 3301, 3301, 6, 15, 3, 0.833333},
    {"mod 13, 3 actions", mod_13, 3, 12288, 19, 16, 9747, 9747, 14, 36, 4, 0.916667},
    {"mod 13, 3 actions", mod_13, 3, 24576, 41, 32, 18339, 18339, 32, 74, 4, 0.916667},
};

// Two actions, budget 6144: "00>1" expands the node that actions 0, 0 lead to with action 1, "*"
// marks a miss.
inline constexpr const char* kOrderOfEqual =
    "*->0 *->1 0>0 1>1 *0>1 *1>0 00>0 11>1 01>1 10>0 *00>1 *11>0 *01>0 *10>1 000>0 111>1 011>1 "
    "100>0 001>1 110>0 010>0 101>1 *000>1 *111>0";
inline constexpr const char* kOrderOfMod7 =
    "*->0 *->1 1>1 0>0 *1>0 11>1 *0>1 10>0 00>0 *11>0 110>0 *110>1 *10>1 101>1 *101>0 100>0 111>1 "
    "01>1 1011>1 1010>0 *1011>0 10110>0 *1010>1 1100>0 *1100>1";

}  // namespace umf::golden
