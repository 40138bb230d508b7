// Rendered objects beside what was written down, one fact a line.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/json.h"
#include "base/text.h"

namespace drover::vendors {

// "spec.containers[nvidia-driver-ctr].image = …": what is short stands on one line, and list items go by their name.
inline void flatten(const json::Value& value, const std::string& at, std::string& into) {
  const std::string text = json::text_of(value);
  if (text.size() <= 100 || !(value.is_object() || value.is_array())) {
    into += at + " = " + text + "\n";
  } else if (value.is_object()) {
    for (const auto& member : value.get_object())
      flatten(member.value(), at + (at.empty() ? "" : ".") + std::string(member.key()), into);
  } else {
    std::size_t i = 0;
    for (const json::Value& item : value.get_array()) {
      const std::string_view name = json::text_at(item, {"name"});
      flatten(item, at + "[" + (name.empty() ? std::to_string(i) : std::string(name)) + "]", into);
      ++i;
    }
  }
}

// To accept what is rendered now, run the test with DROVER_WRITE_GOLDEN=1 and read the difference.
inline void expect_golden(const json::Value& object, const std::string& file) {
  std::string text;
  flatten(object, "", text);
  const std::string path = "test/vendors/golden/" + file;
  if (std::getenv("DROVER_WRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(base::write_file(path, text, 0644));
  }
  const auto golden = base::read_file(path);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(text, *golden);
}

}  // namespace drover::vendors
