#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

class Namespaces : public WorldTest {
 protected:
  void add_namespace(const std::string& name) {
    create(kube::kNamespaces, fmt::format(R"({{"metadata": {{"name": "{}"}}}})", name));
  }
  void add_map(const std::string& ns, const std::string& name, const std::string& finalizers = "[]") {
    create(kube::kConfigMaps, fmt::format(R"({{"metadata": {{"name": "{}", "namespace": "{}", "finalizers": {}}}}})",
                                          name, ns, finalizers));
  }
  std::string remaining(const std::string& ns, std::string_view type) {
    const json::Value* condition = find_condition(*find("namespaces", ns), type);
    return condition ? std::string(json::text_at(*condition, {"message"})) : "";
  }
};

TEST_F(Namespaces, ExistFromTheStartWithTheirServiceAccount) {
  world.run_for(1s);
  for (const char* ns : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    EXPECT_TRUE(find("namespaces", ns)) << ns;
    EXPECT_TRUE(find("serviceaccounts", std::string(ns) + "/default")) << ns;
  }
}

TEST_F(Namespaces, GetTheirServiceAccountBackWhenItIsDeleted) {
  add_namespace("ml");
  ASSERT_TRUE(soon([&] { return find("serviceaccounts", "ml/default") != nullptr; }, 1s));
  const std::string uid(kube::uid_of(*find("serviceaccounts", "ml/default")));
  remove(kube::kServiceAccounts, "ml", "default");
  ASSERT_TRUE(soon([&] { return find("serviceaccounts", "ml/default") != nullptr; }, 1s));
  EXPECT_NE(kube::uid_of(*find("serviceaccounts", "ml/default")), uid);
}

TEST_F(Namespaces, AreEmptiedAndThenGo) {
  add_namespace("ml");
  add_map("ml", "a");
  add_map("default", "b");
  world.run_for(1s);
  remove(kube::kNamespaces, "", "ml");
  EXPECT_EQ(json::text_at(*find("namespaces", "ml"), {"status", "phase"}), "Terminating");
  ASSERT_TRUE(soon([&] { return !find("namespaces", "ml"); }, 10s));
  EXPECT_FALSE(find("configmaps", "ml/a"));
  EXPECT_FALSE(find("serviceaccounts", "ml/default"));
  EXPECT_TRUE(find("configmaps", "default/b"));
}

TEST_F(Namespaces, WaitForAnObjectWithAFinalizerAndNameIt) {
  add_namespace("ml");
  add_map("ml", "held", R"(["example.com/hold"])");
  remove(kube::kNamespaces, "", "ml");
  world.run_for(10min);
  ASSERT_TRUE(find("namespaces", "ml"));
  EXPECT_EQ(remaining("ml", "NamespaceContentRemaining"),
            "Some resources are remaining: configmaps. has 1 resource instances");
  EXPECT_EQ(remaining("ml", "NamespaceFinalizersRemaining"),
            "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances");
  patch(kube::kConfigMaps, "ml", "held", R"({"metadata": {"finalizers": null}})");
  EXPECT_TRUE(soon([&] { return !find("namespaces", "ml"); }, 10s));
}

TEST_F(Namespaces, WaitForTheirPodsToEnd) {
  add_nodes(1);
  add_namespace("ml");
  create(kube::kPods,
         R"({"metadata": {"name": "p", "namespace": "ml"}, "spec": {"containers": [{"name": "main", "image": "i"}]}})");
  ASSERT_TRUE(soon([&] { return pod_is_ready(*find("pods", "ml/p")); }));
  kubelet.takes = 20s;
  remove(kube::kNamespaces, "", "ml");
  world.run_for(10s);
  EXPECT_TRUE(find("namespaces", "ml"));
  EXPECT_TRUE(soon([&] { return !find("namespaces", "ml"); }, 30s));
}

}  // namespace
}  // namespace drover::sim
