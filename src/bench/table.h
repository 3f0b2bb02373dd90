// Tables as texts: for terminals, for papers, and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

inline constexpr int kTerminalColumns = 80;

struct Table {
  std::string caption;
  std::vector<std::string> heads;              // the first names the rows
  std::vector<std::vector<std::string>> rows;  // as long as the heads
};

// For a terminal of 80 columns: names that leave no room for the numbers stand in a line above
// them.
std::string table_text(const Table& table);

// A tabular with the rules of the package booktabs.
std::string table_latex(const Table& table);

// A column of a CSV file: its head, and where its values stand in an element, as a JSON pointer.
struct CsvColumn {
  std::string head, pointer;
};

// Elements of a list as lines (RFC 4180); a null or what is not there is an empty field.
std::string csv_text(const nlohmann::ordered_json& list, const std::vector<CsvColumn>& columns);

// In lines of a terminal, all but the first after `indent`.
std::string wrapped(std::string_view text, std::string_view indent);

}  // namespace umf
