// Which servers we trust and who we are: TLS, client certificates, tokens that rotate, credential plugins, proxies.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "http_api_fixture.h"
#include "kube/net/dialer.h"
#include "kube/net/exec_plugin.h"

namespace drover::kube::fixtures {
namespace {

class HttpIdentityTest : public HttpApiTest {
 public:
  HttpIdentityTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "drover-identity-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~HttpIdentityTest() override { std::filesystem::remove_all(folder); }

 protected:
  std::string write(const std::string& name, const std::string& text, unsigned mode = 0600) {
    const std::string path = folder + "/" + name;
    EXPECT_TRUE(base::write_file(path, text, mode));
    return path;
  }
  ExecPlugin plugin(const std::string& script) {
    ExecPlugin out;
    out.command = write("plugin", "#!/bin/sh\n" + script, 0700);
    out.api_version = "client.authentication.k8s.io/v1";
    return out;
  }
  static std::string printed(const std::string& status) {
    return R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" + status +
           "}'\n";
  }

  std::string folder;
};

// TLS.

TEST_F(HttpIdentityTest, TlsWorksByAddressAndByName) {
  const Identity identity = make_identity("server", "DNS:api.example.net,IP:127.0.0.1");
  ScriptedServer secure(loop, identity);
  for (int i = 0; i < 3; ++i) secure.then(ok(kNode));
  open(secure.target());
  ASSERT_TRUE(get_node());
  ASSERT_TRUE(get_node());
  EXPECT_EQ(secure.connections(), 1);
  Target named = secure.target();
  named.tls_server_name = "api.example.net";
  open(named);
  EXPECT_TRUE(get_node());
}

TEST_F(HttpIdentityTest, AListAndAWatchWorkOverTls) {
  ScriptedServer secure(loop, make_identity("server", "IP:127.0.0.1"));
  std::string items;
  for (int i = 0; i < 3000; ++i) items += R"({"metadata":{"name":"pod-)" + std::to_string(i) + "\"}},";
  items.pop_back();
  secure.then(chunked(R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[)" + items + "]}", 4000));
  secure.then({.pieces = {kChunkedHead, chunk(R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})"), "0\r\n\r\n"}});
  open(secure.target());
  const Listed listed = list(all_of(kPods));
  ASSERT_TRUE(listed.end) << listed.end.error().message;
  EXPECT_EQ(listed.names.size(), 3000u);
  WatchRequest request;
  request.range.resource = kPods;
  const Watched watched = watch(request);
  EXPECT_FALSE(watched.fault);
  EXPECT_EQ(watched.names.size(), 1u);
}

TEST_F(HttpIdentityTest, AServerWithAnotherNameOrAnotherAuthorityIsNotTrusted) {
  const Identity identity = make_identity("server", "DNS:api.example.net,IP:127.0.0.1");
  ScriptedServer secure(loop, identity);
  secure.then(ok(kNode));
  Target target = secure.target();
  target.tls_server_name = "other.example.net";
  open(target);
  expect_fault(get_node(), Kind::Unreachable, "not to be trusted");
  target = secure.target();
  target.ca_pem = make_identity("another authority", "").certificate_pem;
  open(target);
  expect_fault(patch_node(), Kind::Unreachable, "certificate-authority");
  target.ca_pem.clear();
  target.verify = false;
  open(target);
  EXPECT_TRUE(get_node());
}

TEST_F(HttpIdentityTest, TlsToAPlainPortAndPlainToATlsPortSayWhatIsWrong) {
  server.then("HTTP/1.1 400 Bad Request\r\n\r\n", Step::After::Close);
  Target target = server.target();
  target.tls = true;
  // The hello of TLS is not an HTTP request, so the server must answer raw bytes.
  ScriptedServer plain(loop);
  plain.then({.pieces = {"HTTP/1.1 400 Bad Request\r\n\r\n"}, .after = Step::After::Close, .raw_bytes = 20});
  target.port = plain.port();
  open(target);
  expect_fault(get_node(), Kind::Unreachable, "no TLS with it");
  ScriptedServer secure(loop, make_identity("server", "IP:127.0.0.1"));
  target = secure.target();
  target.tls = false;
  open(target);
  EXPECT_FALSE(get_node());
}

TEST_F(HttpIdentityTest, AServerThatNeverShakesHandsIsGivenUp) {
  limits.connect_within = 60ms;
  server.then({.pieces = {}, .after = Step::After::Silence, .raw_bytes = 20});
  Target target = server.target();
  target.tls = true;
  open(target);
  expect_fault(patch_node(), Kind::Unreachable, "no connection within 60ms");
}

TEST_F(HttpIdentityTest, AClientCertificateOpensTheDoor) {
  const Identity authority = make_identity("authority", "");
  const Identity me = make_identity("drover", "", &authority);
  ScriptedServer secure(loop, make_identity("server", "IP:127.0.0.1"), authority.certificate_pem);
  secure.then(ok(kNode));
  Target target = secure.target();
  target.credential = ClientCertificate{me.certificate_pem, me.key_pem};
  open(target);
  EXPECT_TRUE(get_node());
  target.credential = NoCredential{};
  open(target);
  EXPECT_EQ(get_node().error().kind, Kind::Unreachable);
}

TEST_F(HttpIdentityTest, CertificatesThatDoNotParseAreFoundBeforeTheFirstConnection) {
  const Identity one = make_identity("one", "");
  const Identity two = make_identity("two", "");
  ScriptedServer secure(loop, one);
  const auto complaint = [&](const Target& target) {
    const auto opened = HttpApi::open(loop, target);
    return opened ? std::string() : opened.error().message;
  };
  Target target = secure.target();
  target.ca_pem = "no PEM";
  EXPECT_NE(complaint(target).find("certificate authority is not a PEM"), std::string::npos) << complaint(target);
  target = secure.target();
  target.credential = ClientCertificate{one.certificate_pem, two.key_pem};
  EXPECT_NE(complaint(target).find("does not belong"), std::string::npos) << complaint(target);
  target.credential = ClientCertificate{one.certificate_pem, "garbage"};
  EXPECT_NE(complaint(target).find("client key"), std::string::npos) << complaint(target);
  target.credential = ClientCertificate{"garbage", one.key_pem};
  EXPECT_NE(complaint(target).find("client certificate"), std::string::npos) << complaint(target);
  target = secure.target();
  target.proxy_url = "ftp://user:hunter2@proxy";
  EXPECT_NE(complaint(target).find("proxy-url"), std::string::npos);
  EXPECT_EQ(complaint(target).find("hunter2"), std::string::npos);
}

// Tokens.

TEST_F(HttpIdentityTest, ATokenTravelsInTheAuthorizationField) {
  server.then(ok(kNode)).then(ok(kNode));
  Target target = server.target();
  target.credential = StaticToken{"t0ken\n"};
  open(target);
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.seen()[0].field("Authorization"), "Bearer t0ken");
  target.credential = BasicPassword{"me", "secret"};
  open(target);
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.seen()[1].field("Authorization"), "Basic bWU6c2VjcmV0");
}

TEST_F(HttpIdentityTest, ATokenCannotBreakOutOfItsLine) {
  Target target = server.target();
  target.credential = StaticToken{"t0ken\r\nX-Evil: 1"};
  open(target);
  expect_fault(get_node(), Kind::Unreachable, "characters that no token has");
}

TEST_F(HttpIdentityTest, ARotatedTokenIsReadAgainWhenTheServerSays401) {
  const std::string path = write("token", "old\n");
  server.then(ok(kNode)).then(answer(401, "{}")).then(ok(kNode)).then(answer(401, "{}")).then(answer(401, "{}"));
  Target target = server.target();
  target.credential = TokenFile{path};
  open(target);
  ASSERT_TRUE(get_node());
  write("token", "new\n");
  ASSERT_TRUE(patch_node());  // also a write: the server did not act on the first
  EXPECT_EQ(server.seen()[1].field("Authorization"), "Bearer old");
  EXPECT_EQ(server.seen()[2].field("Authorization"), "Bearer new");
  expect_fault(get_node(), Kind::Forbidden, "log in again");
  EXPECT_EQ(server.seen().size(), 5u);  // once, not for ever
}

TEST_F(HttpIdentityTest, AMissingTokenFileIsNamed) {
  Target target = server.target();
  target.credential = TokenFile{folder + "/nothing"};
  open(target);
  expect_fault(get_node(), Kind::Unreachable, folder + "/nothing");
}

// Plugins.

TEST_F(HttpIdentityTest, APluginIsAskedOnceAndAgainAfterA401) {
  server.then(ok(kNode)).then(ok(kNode)).then(answer(401, "{}")).then(ok(kNode));
  Target target = server.target();
  target.credential =
      plugin("echo x >> " + folder + "/runs\n" + printed(R"({"token":"t'$(wc -l < )" + folder + R"(/runs)'"})"));
  open(target);
  ASSERT_TRUE(get_node());
  ASSERT_TRUE(get_node());
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.seen()[1].field("Authorization"), "Bearer t1");
  EXPECT_EQ(server.seen()[3].field("Authorization"), "Bearer t2");
}

TEST_F(HttpIdentityTest, APluginsExpiredCredentialIsFetchedAgain) {
  server.then(ok(kNode)).then(ok(kNode));
  Target target = server.target();
  target.credential = plugin(
      "echo x >> " + folder + "/runs\n" +
      printed(R"({"token":"t'$(wc -l < )" + folder + R"(/runs)'","expirationTimestamp":"2020-01-01T00:00:00Z"})"));
  open(target);
  ASSERT_TRUE(get_node());
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.seen()[1].field("Authorization"), "Bearer t2");
}

TEST_F(HttpIdentityTest, APluginGetsItsArgumentsItsVariablesAndTheQuestion) {
  server.then(ok(kNode));
  Target target = server.target();
  ExecPlugin exec = plugin("printf '%s|%s|%s' \"$1\" \"$SETTING\" \"$KUBERNETES_EXEC_INFO\" > " + folder + "/asked\n" +
                           printed(R"({"token":"t"})"));
  exec.args = {"an argument; rm -rf /"};
  exec.env = {{"SETTING", "value"}};
  exec.provide_cluster_info = true;
  target.credential = exec;
  open(target);
  ASSERT_TRUE(get_node());
  const auto asked = base::read_file(folder + "/asked");
  ASSERT_TRUE(asked);
  const auto parts = base::split(*asked, '|');
  EXPECT_EQ(parts[0], "an argument; rm -rf /");
  EXPECT_EQ(parts[1], "value");
  const auto question = json::parse(parts[2]);
  ASSERT_TRUE(question);
  EXPECT_EQ(json::text_at(*question, {"kind"}), "ExecCredential");
  EXPECT_EQ(json::text_at(*question, {"spec", "cluster", "server"}), "http://127.0.0.1:" + server.port());
  EXPECT_FALSE(json::flag_at(*question, {"spec", "interactive"}, true));
}

TEST_F(HttpIdentityTest, APluginsCertificateIsShownToTheServer) {
  const Identity authority = make_identity("authority", "");
  const Identity me = make_identity("drover", "", &authority);
  ScriptedServer secure(loop, make_identity("server", "IP:127.0.0.1"), authority.certificate_pem);
  secure.then(ok(kNode));
  const json::Value printed = {
      {"apiVersion", "client.authentication.k8s.io/v1"},
      {"kind", "ExecCredential"},
      {"status", {{"clientCertificateData", me.certificate_pem}, {"clientKeyData", me.key_pem}}}};
  Target target = secure.target();
  target.credential = plugin("cat " + write("credential", json::text_of(printed)) + "\n");
  open(target);
  const auto node = get_node();
  EXPECT_TRUE(node) << node.error().message;
}

TEST_F(HttpIdentityTest, APluginThatFailsSaysWhyInOneLine) {
  const auto complaint = [&](const ExecPlugin& exec) {
    Target target = server.target();
    target.credential = exec;
    open(target);
    const auto node = get_node();
    EXPECT_FALSE(node);
    EXPECT_EQ(node.error().kind, Kind::Unreachable);
    EXPECT_EQ(node.error().message.find('\n'), std::string::npos);
    return node.error().message;
  };
  EXPECT_NE(complaint(plugin("echo no session >&2\necho for you >&2\nexit 3\n"))
                .find("ended with code 3: no session for you"),
            std::string::npos);
  EXPECT_NE(complaint(plugin("kill -9 $$\n")).find("signal 9"), std::string::npos);
  const std::string garbage = complaint(plugin("echo secret-token\n"));
  EXPECT_NE(garbage.find("not JSON"), std::string::npos);
  EXPECT_EQ(garbage.find("secret-token"), std::string::npos);
  EXPECT_NE(complaint(plugin(printed("{}"))).find("neither a token nor a certificate"), std::string::npos);
  ExecPlugin missing;
  missing.command = "drover-no-such-plugin";
  missing.api_version = "client.authentication.k8s.io/v1";
  missing.install_hint = "install it\nfrom the shop";
  EXPECT_NE(complaint(missing).find("install it from the shop"), std::string::npos);
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(HttpIdentityTest, APluginThatHangsIsEndedWithItsChildren) {
  std::optional<base::Result<net::ExecCredential>> result;
  const auto run_of = net::ExecRun::start(loop, plugin("sleep 100 & echo waiting >&2; wait\n"), server.target(), 150ms,
                                          [&](auto answered) {
                                            result = std::move(answered);
                                            loop.stop();
                                          });
  run();
  ASSERT_TRUE(result && !*result);
  EXPECT_NE(result->error().message.find("no answer within 150ms: waiting"), std::string::npos)
      << result->error().message;
}

TEST_F(HttpIdentityTest, AnEndlessPluginIsReadToABound) {
  std::optional<base::Result<net::ExecCredential>> result;
  const auto run_of =
      net::ExecRun::start(loop, plugin("head -c 3000000 /dev/zero\n"), server.target(), 10s, [&](auto answered) {
        result = std::move(answered);
        loop.stop();
      });
  run();
  ASSERT_TRUE(result && !*result);
  EXPECT_NE(result->error().message.find("more than 1 MB"), std::string::npos) << result->error().message;
}

// Proxies.

TEST_F(HttpIdentityTest, AnHttpProxyIsAskedForATunnel) {
  server.then("HTTP/1.1 200 Connection established\r\n\r\n").then(ok(kNode));
  Target target = server.target();
  target.proxy_url = "http://me:p%40ss@127.0.0.1:" + server.port();
  target.host = "api.example.net";
  target.port = "6443";
  open(target);
  const auto node = get_node();
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(server.seen()[0].line(), "CONNECT api.example.net:6443 HTTP/1.1");
  EXPECT_EQ(server.seen()[0].field("Proxy-Authorization"), "Basic " + base::base64_encode("me:p@ss"));
  EXPECT_EQ(server.seen()[1].line(), "GET /api/v1/nodes/gpu-7 HTTP/1.1");
  EXPECT_EQ(server.seen()[1].field("Host"), "api.example.net:6443");
}

TEST_F(HttpIdentityTest, TlsGoesThroughAPlainProxyAndThroughATlsProxy) {
  const Identity identity = make_identity("both", "DNS:api.example.net,IP:127.0.0.1");
  ScriptedServer secure(loop, identity);
  ScriptedServer secure_proxy(loop, identity);
  secure.then(ok(kNode)).then(ok(kNode));
  Step tunnel;
  tunnel.pieces = {"HTTP/1.1 200 OK\r\n\r\n"};
  tunnel.relay_to = secure.port();
  server.then(tunnel);
  secure_proxy.then(tunnel);
  Target target = secure.target();
  target.host = "api.example.net";
  target.proxy_url = "http://127.0.0.1:" + server.port();
  open(target);
  const auto through_plain = get_node();
  EXPECT_TRUE(through_plain) << through_plain.error().message;
  target.proxy_url = "https://127.0.0.1:" + secure_proxy.port();
  open(target);
  const auto through_tls = get_node();
  EXPECT_TRUE(through_tls) << through_tls.error().message;
  EXPECT_EQ(secure.seen().size(), 2u);
  target.ca_pem.clear();
  open(target);
  expect_fault(get_node(), Kind::Unreachable, "through the proxy");
}

TEST_F(HttpIdentityTest, AProxyThatRefusesIsNamed) {
  server.then("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
      .then("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
  server.then("nonsense\r\n\r\n");
  Target target = server.target();
  target.proxy_url = "http://127.0.0.1:" + server.port();
  target.host = "api.example.net";
  open(target);
  expect_fault(get_node(), Kind::Unreachable, "user and password");
  expect_fault(get_node(), Kind::Unreachable, "through the proxy 127.0.0.1:" + server.port());
  expect_fault(patch_node(), Kind::Unreachable, "garbled");
}

TEST_F(HttpIdentityTest, ASocksProxyIsAskedForATunnelByName) {
  using namespace std::string_literals;
  server.then_to_bytes(4, "\x05\x02"s);
  server.then_to_bytes(1 + 1 + 2 + 1 + 4, "\x01\x00"s);
  server.then_to_bytes(4 + 1 + 15 + 2, "\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50"s);
  server.then(ok(kNode));
  Target target = server.target();
  target.proxy_url = "socks5://me:pass@127.0.0.1:" + server.port();
  target.host = "api.example.net";
  target.port = "6443";
  open(target);
  const auto node = get_node();
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(server.seen()[1].head, "\x01\x02mepass"s.insert(4, "\x04"));
  EXPECT_EQ(server.seen()[2].head, "\x05\x01\x00\x03\x0f"s + "api.example.net" + "\x19\x2b");
}

TEST_F(HttpIdentityTest, ASocksProxyThatRefusesIsNamed) {
  using namespace std::string_literals;
  server.then_to_bytes(3, "\x05\x00"s).then_to_bytes(4 + 1 + 15 + 2, "\x05\x02\x00\x01\x00"s);
  server.then_to_bytes(3, "\x05\xff"s).then_to_bytes(3, "HTTP/1.1 400"s);
  Target target = server.target();
  target.proxy_url = "socks5://127.0.0.1:" + server.port();
  target.host = "api.example.net";
  open(target);
  expect_fault(get_node(), Kind::Unreachable, "SOCKS5 answer 2");
  expect_fault(get_node(), Kind::Unreachable, "login");
  expect_fault(get_node(), Kind::Unreachable, "does not speak SOCKS5");
}

}  // namespace
}  // namespace drover::kube::fixtures
