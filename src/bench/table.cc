#include "bench/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace umf {
namespace {

constexpr int kGap = 2;

// Characters, not bytes: names may be anything.
int columns_in(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, int width, bool to_the_right) {
  const std::string space(std::max(0, width - columns_in(text)), ' ');
  return to_the_right ? space + std::string(text) : std::string(text) + space;
}

std::string escaped_for_latex(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      case '<':
        escaped += "$<$";
        break;
      case '>':
        escaped += "$>$";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        escaped += '\\';
        [[fallthrough]];
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string latex_row(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) row += (row.empty() ? "" : " & ") + escaped_for_latex(cell);
  return row + " \\\\\n";
}

std::string csv_field(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string table_text(const Table& table) {
  std::vector<std::vector<std::string>> lines = {table.heads};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<int> widths(table.heads.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], columns_in(line[i]));
  }
  int room = kTerminalColumns;
  for (std::size_t i = 1; i < widths.size(); ++i) room -= kGap + widths[i];
  const int names = std::min(widths[0], std::max(room, 0));
  std::string text;
  for (const auto& line : lines) {
    const bool above = columns_in(line[0]) > names;
    if (above) text += line[0] + "\n";
    std::string row = padded(above ? "" : line[0], names, /*to_the_right=*/false);
    for (std::size_t i = 1; i < line.size(); ++i)
      row += std::string(kGap, ' ') + padded(line[i], widths[i], /*to_the_right=*/true);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

std::string table_latex(const Table& table) {
  std::string text = fmt::format("% {}\n% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{l{}}}\n",
                                 table.caption, std::string(table.heads.size() - 1, 'r'));
  text += "\\toprule\n" + latex_row(table.heads) + "\\midrule\n";
  for (const auto& row : table.rows) text += latex_row(row);
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string csv_text(const nlohmann::ordered_json& list, const std::vector<CsvColumn>& columns) {
  std::string text;
  for (const CsvColumn& column : columns)
    text += (text.empty() ? "" : ",") + csv_field(column.head);
  text += "\n";
  for (const auto& element : list) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const nlohmann::ordered_json::json_pointer pointer(columns[i].pointer);
      line += i == 0 ? "" : ",";
      if (element.contains(pointer)) line += csv_field(element.at(pointer));
    }
    text += line + "\n";
  }
  return text;
}

std::string wrapped(std::string_view text, std::string_view indent) {
  std::string lines;
  int used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (used > 0 && used + 1 + columns_in(word) > kTerminalColumns) {
      lines += fmt::format("\n{}", indent);
      used = columns_in(indent);
    } else if (used > 0) {
      lines += " ";
      ++used;
    }
    lines += word;
    used += columns_in(word);
  }
  return lines + "\n";
}

}  // namespace umf
