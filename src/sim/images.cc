#include "sim/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ranges>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::fault;
using base::Fault;

// Whatever the image is.
constexpr ImageRow kOfAll[] = {
    {"*", "image-is-here", "say the image is here"},
    {"*", "place-helper", "say placed"},
};

std::string value_of(const Invocation& invocation, std::string_view name) {
  if (name == "VERSION") return std::string(version_in_tag(invocation.image));
  if (name == "TAG") return std::string(tag_of(invocation.image));
  if (name == "IMAGE") return invocation.image;
  for (const auto& [key, value] : std::views::reverse(invocation.env)) {
    if (key == name) return value;
  }
  return {};
}

std::string filled_in(std::string_view text, const Invocation& invocation) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      out += text[i++];
      continue;
    }
    const std::size_t from = ++i;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_')) ++i;
    out += i == from ? "$" : value_of(invocation, text.substr(from, i - from));
  }
  return out;
}

void fill_in(std::vector<Step>& steps, const Invocation& invocation) {
  for (auto& step : steps) {
    step.what = filled_in(step.what, invocation);
    step.with = filled_in(step.with, invocation);
    step.on = filled_in(step.on, invocation);
  }
}

}  // namespace

std::string_view tag_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const auto name = image.substr(image.rfind('/') == std::string_view::npos ? 0 : image.rfind('/') + 1);
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view("latest") : name.substr(colon + 1);
}

std::string_view version_in_tag(std::string_view image) {
  const auto tag = tag_of(image);
  return tag.substr(0, tag.find('-'));
}

bool fits(std::string_view pattern, std::string_view text) {
  // Greedy with one point to come back to: linear in practice, and enough for "*".
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

ImageTable ImageTable::with_vendors(SimVendors vendors) {
  std::vector<std::span<const ImageRow>> tables = {kOfAll};
  for (const SimVendor* vendor : vendors) tables.push_back(vendor->images);
  ImageTable table;
  for (const auto& rows : std::views::reverse(tables)) {
    for (const ImageRow& row : std::views::reverse(rows)) {
      // The rows are ours and a test reads them all: a row that does not parse cannot ship.
      static_cast<void>(table.prefer(row.image, row.container, row.script));
    }
  }
  return table;
}

Result<void> ImageTable::prefer(std::string_view image, std::string_view container, std::string_view script) {
  TRY(auto parsed, parse_script(script));
  rows_.insert(rows_.begin(),
               Row{std::string(image), container.empty() ? "*" : std::string(container), std::move(parsed)});
  return {};
}

Result<void> ImageTable::read(std::string_view text) {
  std::vector<Row> rows;
  int number = 0;
  for (auto line : base::split(text, '\n')) {
    ++number;
    line = base::trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    // Images hold colons too, so the separator is a colon with spaces around it.
    const auto colon = line.find(" : ");
    const auto left = base::trim(line.substr(0, colon));
    const auto space = left.find(' ');
    const auto container = space == std::string_view::npos ? std::string_view("*") : base::trim(left.substr(space));
    if (colon == std::string_view::npos || container.find(' ') != std::string_view::npos) {
      return fault(Fault::Kind::Refused, fmt::format("line {}: \"{}\" is not \"IMAGE [CONTAINER] : SCRIPT\"", number,
                                                     base::one_line(line, 80)));
    }
    auto script = parse_script(line.substr(colon + 3));
    if (!script) return base::with_context(script.error(), fmt::format("line {}", number));
    rows.push_back({std::string(left.substr(0, space)), std::string(container), std::move(*script)});
  }
  rows_.insert(rows_.begin(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  return {};
}

Result<Script> ImageTable::script_for(const Invocation& invocation) const {
  Script script;
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) {
    return fits(one.image, invocation.image) && fits(one.container, invocation.container);
  });
  if (!invocation.annotated.empty()) {
    TRY(script, parse_script(invocation.annotated));
  } else if (row != rows_.end()) {
    script = row->script;
  } else if (auto said = script_of_command(invocation.argv)) {
    return std::move(*said);  // "$" in a shell text is the shell's
  } else if (invocation.ends_by_itself) {
    script.steps.push_back({Step::Kind::Wait, "task", {}, {}, {}, 0});
  } else {
    script.steps.push_back({Step::Kind::Wait, {}, {}, {}, {}, 0});
  }
  fill_in(script.steps, invocation);
  fill_in(script.when_stopped, invocation);
  return script;
}

}  // namespace drover::sim
