// Kubeconfigs, good and bad. Bad ones give one line that says what to do, and never a secret.
#include "kube/config.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/text.h"

namespace drover::kube {
namespace {

using Kind = base::Fault::Kind;

constexpr const char* kGood = R"(
apiVersion: v1
kind: Config
current-context: bed
preferences: {}
clusters:
- name: bed
  cluster:
    server: https://127.0.0.1:6443/k8s/clusters/c-1/
    certificate-authority-data: Y2EK
    tls-server-name: kubernetes
    proxy-url: socks5://127.0.0.1:1080
- name: open
  cluster: {server: "http://localhost:8080", insecure-skip-tls-verify: true}
contexts:
- name: bed
  context: {cluster: bed, user: admin, namespace: ml}
- name: open
  context: {cluster: open, user: token}
- name: anonymous
  context: {cluster: open}
- name: plugin
  context: {cluster: open, user: plugin}
- name: file
  context: {cluster: open, user: file}
- name: basic
  context: {cluster: open, user: basic}
users:
- name: admin
  user: {client-certificate-data: Y2VydAo=, client-key-data: a2V5Cg==}
- name: token
  user: {token: s3cret}
- name: file
  user: {tokenFile: tokens/mine, token: older}
- name: basic
  user: {username: me, password: s3cret}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: ./bin/login
      args: [get-token, --id, "5"]
      env:
      - {name: AREA, value: eu}
      installHint: get it from the shop
      provideClusterInfo: true
      interactiveMode: IfAvailable
)";

base::Result<Target> parsed(std::string_view text, const std::string& context = {}) {
  return parse_kubeconfig(text, context, "/etc/kube", "the test's file");
}

// A kubeconfig with one cluster, one user and one context.
std::string small(const std::string& cluster, const std::string& user = "{}") {
  return "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: " +
         cluster + "}]\nusers: [{name: u, user: " + user + "}]\n";
}

void expect_refused(const std::string& text, std::string_view words, const std::string& context = {}) {
  const auto target = parsed(text, context);
  ASSERT_FALSE(target) << text;
  EXPECT_NE(target.error().message.find(words), std::string::npos) << target.error().message;
  EXPECT_NE(target.error().message.find("the test's file"), std::string::npos) << target.error().message;
  EXPECT_EQ(target.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(target.error().message.find("s3cret"), std::string::npos);
}

TEST(Kubeconfig, ReadsTheClusterOfTheCurrentContext) {
  const auto target = parsed(kGood);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_TRUE(target->tls);
  EXPECT_EQ(target->host, "127.0.0.1");
  EXPECT_EQ(target->port, "6443");
  EXPECT_EQ(target->base_path, "/k8s/clusters/c-1");
  EXPECT_EQ(target->ca_pem, "ca\n");
  EXPECT_EQ(target->tls_server_name, "kubernetes");
  EXPECT_EQ(target->proxy_url, "socks5://127.0.0.1:1080");
  EXPECT_EQ(target->ns, "ml");
  EXPECT_EQ(target->source, "context bed of the test's file");
  const auto& pair = std::get<ClientCertificate>(target->credential);
  EXPECT_EQ(pair.certificate_pem, "cert\n");
  EXPECT_EQ(pair.key_pem, "key\n");
}

TEST(Kubeconfig, ReadsEveryKindOfCredential) {
  EXPECT_EQ(std::get<StaticToken>(parsed(kGood, "open")->credential).token, "s3cret");
  EXPECT_EQ(std::get<TokenFile>(parsed(kGood, "file")->credential).path, "/etc/kube/tokens/mine");
  EXPECT_EQ(std::get<BasicPassword>(parsed(kGood, "basic")->credential).user, "me");
  EXPECT_TRUE(std::holds_alternative<NoCredential>(parsed(kGood, "anonymous")->credential));
  const auto target = parsed(kGood, "plugin");
  ASSERT_TRUE(target) << target.error().message;
  const auto& plugin = std::get<ExecPlugin>(target->credential);
  EXPECT_EQ(plugin.command, "/etc/kube/./bin/login");
  EXPECT_EQ(plugin.args, (std::vector<std::string>{"get-token", "--id", "5"}));
  EXPECT_EQ(plugin.env.at(0).second, "eu");
  EXPECT_EQ(plugin.install_hint, "get it from the shop");
  EXPECT_TRUE(plugin.provide_cluster_info);
}

TEST(Kubeconfig, InsecureAndPlainAreTakenAtTheirWord) {
  const auto target = parsed(kGood, "open");
  ASSERT_TRUE(target);
  EXPECT_FALSE(target->tls);
  EXPECT_FALSE(target->verify);
  EXPECT_EQ(target->port, "8080");
  EXPECT_EQ(target->ns, "default");
}

TEST(Kubeconfig, JsonIsAKubeconfigToo) {
  const auto target = parsed(
      "{\n\t\"current-context\": \"c\",\n\t\"contexts\": [{\"name\":\"c\",\"context\":{\"cluster\":\"k\"}}],\n"
      "\t\"clusters\": "
      "[{\"name\":\"k\",\"cluster\":{\"server\":\"https://[::1]\",\"insecure-skip-tls-verify\":true}}]}");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->host, "::1");
  EXPECT_EQ(target->port, "443");
  EXPECT_FALSE(target->verify);
}

TEST(Kubeconfig, WhatIsNoKubeconfigSaysSo) {
  expect_refused("", "is empty");
  expect_refused(" \n\t\n", "is empty");
  expect_refused("just words", "no fields");
  expect_refused("[1, 2]", "no fields");
  expect_refused("a: [1, 2", "not YAML: line");
  expect_refused("\x01\x02\xff\xfe\x03zz", "the test's file");
  expect_refused("kind: Pod", "but a Pod");
  expect_refused("{}", "no current-context");
  expect_refused("? [a]\n: b\n", "is not a string");
}

TEST(Kubeconfig, AWrongNameListsTheRightOnes) {
  expect_refused(kGood, "no context \"prod\"; it has: bed, open, anonymous", "prod");
  expect_refused("current-context: c\ncontexts: [{name: c, context: {cluster: k}}]",
                 "no cluster \"k\"; it has: there is none");
  expect_refused(
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: "
      "{server: 'https://x'}}]",
      "no user \"u\"");
  expect_refused("current-context: c\ncontexts: [{name: c, context: {}}]", "names no cluster");
  expect_refused("contexts: [{name: c, context: {cluster: k}}]", "choose one with --context: c");
}

TEST(Kubeconfig, AServerMustBeAnAddressWeCanSpeakTo) {
  expect_refused(small("{}"), "has no server");
  expect_refused(small("{server: 'ftp://host'}"), "unknown scheme \"ftp\"");
  expect_refused(small("{server: '127.0.0.1:6443'}"), "lacks a scheme");
  expect_refused(small("{server: 'https://'}"), "no host");
  expect_refused(small("{server: 'https://host:99999'}"), "port");
  expect_refused(small("{server: 'https://host:http'}"), "port");
  expect_refused(small("{server: 'https://[::1'}"), "]");
  expect_refused(small("{server: 'https://a b/'}"), "characters that no host has");
  expect_refused(small("{server: \"https://h/\\r\\nX: y\"}"), "the server of cluster \"k\"");
  expect_refused(small("{server: 'https://h/?a=b'}"), "query");
}

TEST(Kubeconfig, CertificatesAndUsersMustMakeSense) {
  expect_refused(small("{server: 'https://h', certificate-authority-data: '***s3cret'}"),
                 "certificate-authority-data of cluster \"k\" is not base64");
  expect_refused(small("{server: 'https://h', certificate-authority: missing.crt}"), "/etc/kube/missing.crt");
  expect_refused(small("{server: 'https://h', certificate-authority-data: Y2E=, insecure-skip-tls-verify: true}"),
                 "remove one");
  expect_refused(small("{server: 'https://h'}", "{client-certificate-data: Y2E=}"),
                 "client certificate without its key");
  expect_refused(small("{server: 'https://h'}", "{client-key-data: Y2E=}"), "client key without its certificate");
  expect_refused(small("{server: 'https://h'}", "{token: s3cret, as: root}"), "does not support");
  expect_refused(small("{server: 'https://h'}", "{auth-provider: {name: gcp}}"), "does not support");
  expect_refused(small("{server: 'https://h'}", "{exec: {apiVersion: client.authentication.k8s.io/v1}}"), "no command");
  expect_refused(
      small("{server: 'https://h'}", "{exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}}"),
      "v1alpha1");
  expect_refused(small("{server: 'https://h'}",
                       "{exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always}}"),
                 "drover has no terminal");
}

TEST(Kubeconfig, ASmallFileThatMeansAHugeOneIsRefused) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    const std::string before = "*" + std::string(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [" + before;
    for (int i = 0; i < 9; ++i) bomb += "," + before;
    bomb += "]\n";
  }
  expect_refused(bomb, "too large");
  expect_refused("a: &a [*a]\n", "too large");
  expect_refused("a: " + std::string(5000, '['), "the test's file");
  expect_refused(std::string(300, '{') + "}", "the test's file");
}

TEST(Kubeconfig, AMissingFileSaysWhereElseToLook) {
  const auto target = load_kubeconfig("/no/such/kubeconfig");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().kind, Kind::NotFound);
  EXPECT_NE(target.error().message.find("/no/such/kubeconfig"), std::string::npos);
  EXPECT_NE(target.error().message.find("--kubeconfig"), std::string::npos);
}

// A folder, and the process's environment as it was before the test.
class TargetTest : public ::testing::Test {
 public:
  TargetTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "drover-config-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    for (const char* name : {"KUBECONFIG", "HOME", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) {
      const char* value = ::getenv(name);
      before.emplace_back(name, value == nullptr ? std::optional<std::string>() : std::string(value));
      ::unsetenv(name);
    }
  }
  ~TargetTest() override {
    for (const auto& [name, value] : before) {
      if (value) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
    std::filesystem::remove_all(folder);
  }

 protected:
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder + "/" + path).parent_path());
    ASSERT_TRUE(base::write_file(folder + "/" + path, text));
  }

  std::string folder;
  std::vector<std::pair<std::string, std::optional<std::string>>> before;
};

TEST_F(TargetTest, TheFlagComesFirstThenTheVariableThenHome) {
  write("flag", small("{server: 'https://flag'}"));
  write("variable", small("{server: 'https://variable'}"));
  write("home/.kube/config", small("{server: 'https://home'}"));
  ::setenv("HOME", (folder + "/home").c_str(), 1);
  EXPECT_EQ(find_target("", "")->host, "home");
  ::setenv("KUBECONFIG", (folder + "/missing:" + folder + "/variable").c_str(), 1);
  EXPECT_EQ(find_target("", "")->host, "variable");
  EXPECT_EQ(find_target(folder + "/flag", "")->host, "flag");
  EXPECT_FALSE(find_target(folder + "/nothing", ""));
  ::setenv("KUBECONFIG", (folder + "/missing").c_str(), 1);
  EXPECT_FALSE(find_target("", ""));
}

TEST_F(TargetTest, APodFindsItsOwnAccount) {
  EXPECT_FALSE(load_in_cluster(folder));
  ::setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  EXPECT_FALSE(load_in_cluster(folder));
  const std::string account = "var/run/secrets/kubernetes.io/serviceaccount/";
  write(account + "token", "t\n");
  write(account + "ca.crt", "PEM");
  write(account + "namespace", "drover-system\n");
  const auto target = load_in_cluster(folder);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->host, "10.96.0.1");
  EXPECT_EQ(target->ns, "drover-system");
  EXPECT_EQ(target->ca_pem, "PEM");
  EXPECT_EQ(std::get<TokenFile>(target->credential).path, folder + "/" + account + "token");
}

TEST_F(TargetTest, PathsInAFileAreRelativeToIt) {
  write("kube/ca.crt", "PEM");
  write("kube/config", small("{server: 'https://h', certificate-authority: ca.crt}"));
  const auto target = load_kubeconfig(folder + "/kube/config");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->ca_pem, "PEM");
}

}  // namespace
}  // namespace drover::kube
