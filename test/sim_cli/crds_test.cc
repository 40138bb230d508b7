// What travels inside the binary is what the chart installs.
#include "sim_cli/crds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"
#include "kube/yaml.h"

namespace drover::sim_cli {
namespace {

TEST(EmbeddedCrds, AreTheChartsOwn) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator("charts/drover/crds")) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  ASSERT_EQ(embedded_crds().size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto file = base::read_file(files[i]);
    ASSERT_TRUE(file);
    EXPECT_EQ(embedded_crds()[i], *file);
  }
}

TEST(EmbeddedCrds, AreReadAsManifests) {
  for (const std::string_view text : embedded_crds()) {
    const auto documents = kube::parse_manifests(text);
    ASSERT_TRUE(documents) << documents.error().message;
    for (const json::Value& one : *documents) {
      EXPECT_EQ(json::text_at(one, {"kind"}), "CustomResourceDefinition");
    }
  }
}

}  // namespace
}  // namespace drover::sim_cli
