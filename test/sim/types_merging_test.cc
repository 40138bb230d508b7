// How patches and apply see the places of built-in kinds: by the tables, not by the names of fields.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/server/field_types.h"

namespace drover::sim {
namespace {

using List = FieldType::List;

TEST(FieldTypes, TheSameNameMeansDifferentThingsInDifferentKinds) {
  EXPECT_EQ(built_in_types("Pod").at({"spec", "imagePullSecrets"}).list, List::Map);
  EXPECT_EQ(built_in_types("ServiceAccount").at({"imagePullSecrets"}).list, List::Atomic);
  EXPECT_EQ(built_in_types("Service").at({"spec", "ports"}).keys, (std::vector<std::string>{"port", "protocol"}));
  EXPECT_EQ(built_in_types("EndpointSlice").at({"ports"}).list, List::Atomic);
  EXPECT_EQ(built_in_types("Job").at({"status", "conditions"}).list, List::Atomic);
  EXPECT_TRUE(built_in_types("Job").at({"status", "conditions"}).merges);
}

TEST(FieldTypes, ListElementsAddNothingToAPlace) {
  const FieldType ports = built_in_types("Pod").at({"spec", "containers", "ports"});
  EXPECT_EQ(ports.keys, (std::vector<std::string>{"containerPort", "protocol"}));
  EXPECT_EQ(ports.merge_key, "containerPort");
}

TEST(FieldTypes, SelectorsAndReferencesHaveOneOwner) {
  EXPECT_TRUE(built_in_types("DaemonSet").at({"spec", "selector"}).atomic_object);
  EXPECT_TRUE(built_in_types("Pod").at({"spec", "nodeSelector"}).atomic_object);
  EXPECT_TRUE(built_in_types("Pod").at({"metadata", "ownerReferences"}).atomic_object);
  EXPECT_TRUE(built_in_types("ControllerRevision").at({"data"}).atomic_object);
  EXPECT_FALSE(built_in_types("Pod").at({"metadata", "labels"}).atomic_object);
}

TEST(FieldTypes, KeysOfMapsAreData) {
  EXPECT_TRUE(built_in_types("Pod").at({"metadata", "labels"}).free_keys);
  EXPECT_TRUE(built_in_types("Pod").at({"spec", "containers", "resources", "limits"}).free_keys);
  EXPECT_FALSE(built_in_types("Pod").at({"metadata", "labels", "app"}).free_keys);
  EXPECT_FALSE(built_in_types("RuntimeClass").at({"overhead"}).free_keys);
  EXPECT_TRUE(built_in_types("RuntimeClass").at({"overhead", "podFixed"}).free_keys);
}

TEST(FieldTypes, NothingIsKnownOfWhatIsNotThere) {
  for (const char* kind : {"Pod", "Nonsense"}) {
    const FieldType type = built_in_types(kind).at({"spec", "nothing", "at", "all"});
    EXPECT_EQ(type.list, List::Atomic);
    EXPECT_FALSE(type.merges || type.free_keys || type.atomic_object);
  }
}

}  // namespace
}  // namespace drover::sim
