// How to reach an API server and who we are there: from a kubeconfig, or from the pod we run in.
//
// Reading is pure (files in, structs out, or one line that says what is wrong and what to do); connecting is
// http_api.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace drover::kube {

// The ways to prove who we are. PEM texts are held, not paths, except where the file may change under us.
struct NoCredential {};
struct StaticToken {
  std::string token;
};
struct TokenFile {  // read again when it is older than a minute: in-cluster tokens rotate
  std::string path;
};
struct ClientCertificate {
  std::string certificate_pem;
  std::string key_pem;
};
struct BasicPassword {
  std::string user;
  std::string password;
};
struct ExecPlugin {  // client.authentication.k8s.io/v1 and v1beta1
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string api_version;
  std::string install_hint;
  bool provide_cluster_info = false;
};
using Credential = std::variant<NoCredential, StaticToken, TokenFile, ClientCertificate, BasicPassword, ExecPlugin>;

struct Target {
  bool tls = true;
  std::string host;
  std::string port;
  std::string base_path;        // "" or "/k8s/clusters/c-1"
  std::string ca_pem;           // "" = the system's
  bool verify = true;           // insecure-skip-tls-verify turns it off
  std::string tls_server_name;  // "" = host
  std::string proxy_url;        // "" = none; http:// and https:// proxies by CONNECT, socks5:// too
  Credential credential;
  std::string ns = "default";   // the context's namespace
  std::string source;           // where this was read, for messages: "context bed of /home/me/.kube/config"
  std::string user_agent = {};  // "" = drover/VERSION; audit logs tell programs apart by it
};

// Context "" = current-context. Relative paths inside are relative to the file.
base::Result<Target> load_kubeconfig(const std::string& path, const std::string& context = {});
// The same from text; `directory` is what relative paths are relative to.
base::Result<Target> parse_kubeconfig(std::string_view text, const std::string& context, const std::string& directory,
                                      const std::string& source);

// From /var/run/secrets/kubernetes.io/serviceaccount and KUBERNETES_SERVICE_HOST/PORT under `root` ("" = the real one).
base::Result<Target> load_in_cluster(const std::string& root = {});

// What every command does: --kubeconfig, else $KUBECONFIG (first existing of the list), else in-cluster when in a pod,
// else ~/.kube/config.
base::Result<Target> find_target(const std::string& kubeconfig_flag, const std::string& context_flag);

}  // namespace drover::kube
