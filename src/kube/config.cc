// Kubeconfigs and the pod's own account. What kubectl accepts is accepted; what we cannot honour (impersonation,
// auth-provider) is refused by name rather than ignored, because ignoring it would give us another identity.
#include "kube/config.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

#include "base/json.h"
#include "base/text.h"
#include "kube/net/url.h"
#include "kube/yaml.h"

namespace drover::kube {
namespace {

using base::Fault;
using base::Result;

constexpr std::size_t kMostFileBytes = 4 * 1024 * 1024;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// One kubeconfig, while it is being read.
class Reading {
 public:
  Reading(const json::Value& config, std::string directory, std::string source)
      : config_(config), directory_(std::move(directory)), source_(std::move(source)) {}

  Result<Target> target(const std::string& wanted) {
    if (!config_.is_object()) return malformed("is not a kubeconfig: it has no fields");
    if (const auto kind = json::text_at(config_, {"kind"}); !kind.empty() && kind != "Config") {
      return malformed(fmt::format("is not a kubeconfig but a {}", base::one_line(kind, 40)));
    }
    const std::string name = wanted.empty() ? std::string(json::text_at(config_, {"current-context"})) : wanted;
    if (name.empty())
      return malformed(fmt::format("names no current-context; choose one with --context: {}", names("contexts")));
    TRY(const json::Value* context, entry("contexts", "context", name, "context"));
    const std::string cluster_name(json::text_at(*context, {"cluster"}));
    const std::string user_name(json::text_at(*context, {"user"}));
    if (cluster_name.empty())
      return malformed(fmt::format("context \"{}\" names no cluster", base::one_line(name, 60)));
    TRY(const json::Value* cluster, entry("clusters", "cluster", cluster_name, "cluster"));

    Target target;
    target.source = fmt::format("context {} of {}", base::one_line(name, 60), source_);
    if (const auto ns = json::text_at(*context, {"namespace"}); !ns.empty()) target.ns = ns;
    TRY_VOID(read_cluster(*cluster, cluster_name, target));
    if (user_name.empty()) return target;
    TRY(const json::Value* user, entry("users", "user", user_name, "user"));
    TRY(target.credential, credential(*user, fmt::format("user \"{}\"", base::one_line(user_name, 60))));
    return target;
  }

 private:
  std::unexpected<Fault> malformed(std::string_view why) const {
    return base::fault(Fault::Kind::Malformed, fmt::format("{}: {}", source_, why));
  }

  // The names of a list of entries, for a message.
  std::string names(std::string_view list) const {
    std::string out;
    for (const json::Value& entry : json::array_at(config_, {list})) {
      if (!out.empty()) out += ", ";
      if (out.size() > 200) return out + "…";
      out += base::one_line(json::text_at(entry, {"name"}), 60);
    }
    return out.empty() ? "there is none" : out;
  }

  // The last entry with the name, as kubectl would take it.
  Result<const json::Value*> entry(std::string_view list, std::string_view inner, const std::string& name,
                                   std::string_view what) const {
    const json::Value* found = nullptr;
    for (const json::Value& candidate : json::array_at(config_, {list})) {
      if (json::text_at(candidate, {"name"}) == name) found = json::find(candidate, {inner});
    }
    if (found != nullptr && found->is_object()) return found;
    return malformed(fmt::format("there is no {} \"{}\"; it has: {}", what, base::one_line(name, 60), names(list)));
  }

  static bool flag(const json::Value& value, std::string_view key) {
    return json::flag_at(value, {key}) || json::text_at(value, {key}) == "true";
  }

  std::string resolved(std::string_view path) const {
    return path.starts_with('/') ? std::string(path) : directory_ + "/" + std::string(path);
  }

  // A PEM text that stands in the file as base64, or in a file of its own; "" when neither is named.
  Result<std::string> pem(const json::Value& value, const std::string& key, const std::string& whose) const {
    if (const auto encoded = json::text_at(value, {key + "-data"}); !encoded.empty()) {
      auto decoded = base::base64_decode(encoded);
      if (!decoded) return malformed(fmt::format("{}-data of {} is not base64", key, whose));
      return decoded;
    }
    const auto path = json::text_at(value, {key});
    if (path.empty()) return std::string();
    auto text = base::read_file(resolved(path), kMostFileBytes);
    if (!text) return base::with_context(text.error(), fmt::format("{}: {} of {}", source_, key, whose));
    return text;
  }

  Result<void> read_cluster(const json::Value& cluster, const std::string& name, Target& target) const {
    const std::string whose = fmt::format("cluster \"{}\"", base::one_line(name, 60));
    const auto server = json::text_at(cluster, {"server"});
    if (server.empty()) return malformed(fmt::format("{} has no server", whose));
    const auto url = net::parse_url(server);
    if (!url) return malformed(fmt::format("the server of {} is not a URL: {}", whose, url.error().message));
    if (url->scheme != "https" && url->scheme != "http") {
      return malformed(fmt::format("the server of {} has the unknown scheme \"{}\"; it must be https:// (or http://)",
                                   whose, url->scheme));
    }
    target.tls = url->scheme == "https";
    target.host = url->host;
    target.port = !url->port.empty() ? url->port : target.tls ? "443" : "80";
    target.base_path = url->path;
    target.verify = !flag(cluster, "insecure-skip-tls-verify");
    target.tls_server_name = json::text_at(cluster, {"tls-server-name"});
    target.proxy_url = json::text_at(cluster, {"proxy-url"});
    TRY(target.ca_pem, pem(cluster, "certificate-authority", whose));
    if (!target.verify && !target.ca_pem.empty()) {
      return malformed(
          fmt::format("{} has both a certificate-authority and insecure-skip-tls-verify; remove one", whose));
    }
    return {};
  }

  Result<Credential> credential(const json::Value& user, const std::string& whose) const {
    for (const char* unsupported : {"as", "as-groups", "as-uid", "as-user-extra", "auth-provider"}) {
      if (json::find(user, {unsupported}) == nullptr) continue;
      return base::fault(Fault::Kind::Refused,
                         fmt::format("{}: {} uses {}, which drover does not support", source_, whose, unsupported));
    }
    TRY(std::string certificate, pem(user, "client-certificate", whose));
    TRY(std::string key, pem(user, "client-key", whose));
    if (certificate.empty() != key.empty()) {
      return malformed(fmt::format("{} has a client {} without its {}", whose, key.empty() ? "certificate" : "key",
                                   key.empty() ? "key" : "certificate"));
    }
    // Servers ask for the certificate before they look at anything else.
    if (!certificate.empty()) return ClientCertificate{std::move(certificate), std::move(key)};
    if (const json::Value* exec = json::find(user, {"exec"}); exec != nullptr && !exec->is_null())
      return plugin(*exec, whose);
    if (const auto file = json::text_at(user, {"tokenFile"}); !file.empty()) return TokenFile{resolved(file)};
    if (const auto token = json::text_at(user, {"token"}); !token.empty()) return StaticToken{std::string(token)};
    const auto login = json::text_at(user, {"username"});
    if (!login.empty()) return BasicPassword{std::string(login), std::string(json::text_at(user, {"password"}))};
    return NoCredential{};
  }

  Result<Credential> plugin(const json::Value& exec, const std::string& whose) const {
    ExecPlugin plugin;
    plugin.command = json::text_at(exec, {"command"});
    if (plugin.command.empty()) return malformed(fmt::format("exec of {} has no command", whose));
    // A bare name is looked up in PATH; a relative path belongs to the file that says it.
    if (plugin.command.find('/') != std::string::npos) plugin.command = resolved(plugin.command);
    plugin.api_version = json::text_at(exec, {"apiVersion"});
    if (plugin.api_version != "client.authentication.k8s.io/v1" &&
        plugin.api_version != "client.authentication.k8s.io/v1beta1") {
      return malformed(
          fmt::format("exec of {} has the apiVersion \"{}\"; known are client.authentication.k8s.io/v1 and v1beta1",
                      whose, base::one_line(plugin.api_version, 60)));
    }
    if (json::text_at(exec, {"interactiveMode"}) == "Always") {
      return base::fault(Fault::Kind::Refused,
                         fmt::format("{}: exec of {} must talk to a person (interactiveMode: Always), and "
                                     "drover has no terminal; use a credential that works without one",
                                     source_, whose));
    }
    for (const json::Value& arg : json::array_at(exec, {"args"})) {
      if (!arg.is_string()) return malformed(fmt::format("an argument of exec of {} is not a string", whose));
      plugin.args.emplace_back(arg.get_string());
    }
    for (const json::Value& variable : json::array_at(exec, {"env"})) {
      const std::string name(json::text_at(variable, {"name"}));
      if (name.empty() || name.find('=') != std::string::npos)
        return malformed(fmt::format("a variable of exec of {} has no name", whose));
      plugin.env.emplace_back(name, std::string(json::text_at(variable, {"value"})));
    }
    plugin.install_hint = json::text_at(exec, {"installHint"});
    plugin.provide_cluster_info = flag(exec, "provideClusterInfo");
    return plugin;
  }

  const json::Value& config_;
  std::string directory_;
  std::string source_;
};

}  // namespace

Result<Target> parse_kubeconfig(std::string_view text, const std::string& context, const std::string& directory,
                                const std::string& source) {
  if (base::trim(text).empty()) {
    return base::fault(Fault::Kind::Malformed, fmt::format("{}: the file is empty; it should be a kubeconfig", source));
  }
  const auto config = parse_yaml(text);
  if (!config) return base::with_context(config.error(), source + ": this is not a kubeconfig");
  return Reading(*config, directory, source).target(context);
}

Result<Target> load_kubeconfig(const std::string& path, const std::string& context) {
  const auto text = base::read_file(path, kMostFileBytes);
  if (!text) {
    Fault fault = text.error();
    fault.message = fmt::format("no kubeconfig: {}; name another with --kubeconfig or $KUBECONFIG", fault.message);
    return std::unexpected(std::move(fault));
  }
  return parse_kubeconfig(*text, context, directory_of(path), path);
}

Result<Target> load_in_cluster(const std::string& root) {
  const std::string account = root + "/var/run/secrets/kubernetes.io/serviceaccount";
  const auto host = environment("KUBERNETES_SERVICE_HOST");
  const auto port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return base::fault(Fault::Kind::NotFound,
                       "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  Target target;
  target.host = host;
  target.port = port;
  target.source = "the pod's service account";
  target.credential = TokenFile{account + "/token"};
  if (auto token = base::read_file(account + "/token", kMostFileBytes); !token) {
    return base::with_context(token.error(), "the pod has no service account token (automountServiceAccountToken?)");
  }
  auto ca = base::read_file(account + "/ca.crt", kMostFileBytes);
  if (!ca) return base::with_context(ca.error(), "the pod's service account");
  target.ca_pem = std::move(*ca);
  if (const auto ns = base::read_file(account + "/namespace", 4096); ns && !base::trim(*ns).empty())
    target.ns = base::trim(*ns);
  return target;
}

Result<Target> find_target(const std::string& kubeconfig_flag, const std::string& context_flag) {
  if (!kubeconfig_flag.empty()) return load_kubeconfig(kubeconfig_flag, context_flag);
  if (const auto listed = environment("KUBECONFIG"); !listed.empty()) {
    std::string first;
    for (const std::string_view part : base::split(listed, ':')) {
      const std::string path(part);
      if (path.empty()) continue;
      if (first.empty()) first = path;
      if (::access(path.c_str(), F_OK) == 0) return load_kubeconfig(path, context_flag);
    }
    if (!first.empty()) return load_kubeconfig(first, context_flag);
  }
  // A context is only named by people, and people have a file.
  if (context_flag.empty() && !environment("KUBERNETES_SERVICE_HOST").empty()) return load_in_cluster();
  return load_kubeconfig(std::string(environment("HOME")) + "/.kube/config", context_flag);
}

}  // namespace drover::kube
