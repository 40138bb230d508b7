// What travels inside the binary is what the chart installs.
#include "cli/crds.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "kube/yaml.h"

namespace drover::cli {
namespace {

TEST(EmbeddedCrds, AreTheChartsOwn) {
  ASSERT_EQ(embedded_crds().size(), 1U);
  const auto file = base::read_file("charts/drover/crds/nvidia.com_clusterpolicies.yaml");
  ASSERT_TRUE(file);
  EXPECT_EQ(embedded_crds().front(), *file);
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
}  // namespace drover::cli
