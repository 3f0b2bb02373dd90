// umf status --watch: a run's workers and results as they come and go, as a picture or line by
// line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace umf {

// What a terminal of that size shows of a status (bench/status.h): how far the run is, its machines
// and their workers, what failed. Where there is too little room, machines without their workers.
std::vector<std::string> picture_of(const nlohmann::ordered_json& status, int columns, int rows);

// What is new since `before`, a line each: who came, left, fell silent or came back, what failed,
// and how far the run is now. Against null, everything is new.
std::vector<std::string> news_of(const nlohmann::ordered_json& before,
                                 const nlohmann::ordered_json& now);

// Whether nothing more will come by itself: all was tried, and nobody is at work.
bool is_over(const nlohmann::ordered_json& status);

}  // namespace umf
