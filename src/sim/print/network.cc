// Services and where they lead.
#include <fmt/format.h>

#include <set>
#include <string>

#include "sim/print/cells.h"

namespace drover::sim::print {
namespace {

constexpr std::size_t kShown = 3;  // more are only counted

// "a,b,c + 2 more..."
class ShortList {
 public:
  void add(std::string_view item) {
    if (count_++ < kShown) text_.append(text_.empty() ? "" : ",").append(item);
  }
  std::string text(std::string_view none) const {
    if (count_ > kShown) return fmt::format("{} + {} more...", text_, count_ - kShown);
    return text_.empty() ? std::string(none) : text_;
  }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

// ---- Services

constexpr Column kServiceColumns[] = {
    kName,
    {"Type", "string", "", 0, "how the service is reached"},
    {"Cluster-IP", "string", "", 0, "its address inside the cluster"},
    {"External-IP", "string", "", 0, "its addresses outside"},
    {"Port(s)", "string", "", 0, "its ports, with the node's where there are some"},
    kAge,
    kSelector,
};

std::string balancer_addresses(const json::Value& service) {
  std::set<std::string_view> balancers;
  for (const json::Value& ingress : json::array_at(service, {"status", "loadBalancer", "ingress"})) {
    const std::string_view ip = json::text_at(ingress, {"ip"});
    const std::string_view address = ip.empty() ? json::text_at(ingress, {"hostname"}) : ip;
    if (!address.empty()) balancers.insert(address);
  }
  std::string text;
  for (const std::string_view address : balancers) text.append(text.empty() ? "" : ",").append(address);
  return text;
}

// The addresses of the load balancer and those given by hand.
std::string external_addresses(const json::Value& service) {
  const std::string_view type = json::text_at(service, {"spec", "type"});
  const std::string by_hand = joined_texts(json::array_at(service, {"spec", "externalIPs"}));
  if (type == "ClusterIP" || type == "NodePort") return by_hand.empty() ? "<none>" : by_hand;
  if (type == "ExternalName") return std::string(json::text_at(service, {"spec", "externalName"}));
  if (type != "LoadBalancer") return "<unknown>";
  std::string text = balancer_addresses(service);
  if (!by_hand.empty()) text.append(text.empty() ? "" : ",").append(by_hand);
  return text.empty() ? "<pending>" : text;
}

std::string ports_of(const json::Value& service) {
  std::string text;
  for (const json::Value& port : json::array_at(service, {"spec", "ports"})) {
    const auto node_port = json::int_at(port, {"nodePort"});
    text += fmt::format("{}{}{}/{}", text.empty() ? "" : ",", json::int_at(port, {"port"}),
                        node_port > 0 ? fmt::format(":{}", node_port) : "", json::text_at(port, {"protocol"}));
  }
  return text.empty() ? "<none>" : text;
}

json::Array service_cells(const kube::Object& service, base::WallTime now) {
  const json::Array& addresses = json::array_at(service, {"spec", "clusterIPs"});
  std::string address = "<none>";
  if (!addresses.empty() && addresses[0].is_string()) address = addresses[0].get_string();
  return {name_cell(service),
          json::Value(json::text_at(service, {"spec", "type"})),
          address,
          external_addresses(service),
          ports_of(service),
          age_of(service, now),
          labels_text(service, {"spec", "selector"})};
}

// ---- Endpoints

constexpr Column kEndpointsColumns[] = {kName, {"Endpoints", "string", "", 0, "where the service leads"}, kAge};

json::Array endpoints_cells(const kube::Object& endpoints, base::WallTime now) {
  const json::Array& subsets = json::array_at(endpoints, {"subsets"});
  ShortList list;
  for (const json::Value& subset : subsets) {
    const json::Array& addresses = json::array_at(subset, {"addresses"});
    const json::Array& ports = json::array_at(subset, {"ports"});
    for (const json::Value& address : addresses) {
      if (ports.empty()) list.add(json::text_at(address, {"ip"}));
    }
    for (const json::Value& port : ports) {
      for (const json::Value& address : addresses) {
        const std::string_view ip = json::text_at(address, {"ip"});
        const bool six = ip.find(':') != std::string_view::npos;
        list.add(fmt::format("{}{}{}:{}", six ? "[" : "", ip, six ? "]" : "", json::int_at(port, {"port"})));
      }
    }
  }
  return {name_cell(endpoints), list.text(subsets.empty() ? "<none>" : ""), age_of(endpoints, now)};
}

constexpr Column kEndpointSliceColumns[] = {
    kName,
    {"AddressType", "string", "", 0, "what kind of addresses these are"},
    {"Ports", "string", "", 0, "the ports they listen on"},
    {"Endpoints", "string", "", 0, "where the service leads"},
    kAge,
};

json::Array endpoint_slice_cells(const kube::Object& slice, base::WallTime now) {
  ShortList ports;
  for (const json::Value& port : json::array_at(slice, {"ports"})) {
    const json::Value* number = json::find(port, {"port"});
    const bool numbered = number != nullptr && number->is_number();
    ports.add(numbered ? fmt::format("{}", json::int_at(port, {"port"})) : scalar_text(port, {"name"}, "*"));
  }
  ShortList endpoints;
  for (const json::Value& endpoint : json::array_at(slice, {"endpoints"})) {
    for (const json::Value& address : json::array_at(endpoint, {"addresses"})) {
      if (address.is_string()) endpoints.add(std::string_view(address.get_string()));
    }
  }
  return {name_cell(slice), json::Value(json::text_at(slice, {"addressType"})), ports.text("<unset>"),
          endpoints.text("<unset>"), age_of(slice, now)};
}

constexpr Column kNetworkPolicyColumns[] = {kName, {"Pod-Selector", "string", "", 0, "which pods it guards"}, kAge};

json::Array network_policy_cells(const kube::Object& policy, base::WallTime now) {
  return {name_cell(policy), selector_text(policy, {"spec", "podSelector"}, "<none>", "<error>"), age_of(policy, now)};
}

// ---- Ingresses

constexpr Column kIngressColumns[] = {
    kName,
    {"Class", "string", "", 0, "who serves it"},
    {"Hosts", "string", "", 0, "for which hosts"},
    {"Address", "string", "", 0, "where it is reached"},
    {"Ports", "string", "", 0, "with TLS or without"},
    kAge,
};

json::Array ingress_cells(const kube::Object& ingress, base::WallTime now) {
  std::string hosts;
  std::size_t shown = 0;
  bool more = false;
  const json::Array& rules = json::array_at(ingress, {"spec", "rules"});
  for (const json::Value& rule : rules) {
    const std::string_view host = json::text_at(rule, {"host"});
    more = more || shown == kShown;
    if (more || host.empty()) continue;
    hosts.append(shown++ == 0 ? "" : ",").append(host);
  }
  if (hosts.empty()) hosts = "*";
  if (more) hosts += fmt::format(" + {} more...", rules.size() - kShown);
  return {name_cell(ingress),
          scalar_text(ingress, {"spec", "ingressClassName"}, "<none>"),
          hosts,
          balancer_addresses(ingress),
          json::Value(json::array_at(ingress, {"spec", "tls"}).empty() ? "80" : "80, 443"),
          age_of(ingress, now)};
}

constexpr Column kIngressClassColumns[] = {
    kName,
    {"Controller", "string", "", 0, "who serves Ingresses of this class"},
    {"Parameters", "string", "", 0, "where its parameters are"},
    kAge,
};

json::Array ingress_class_cells(const kube::Object& ingress, base::WallTime now) {
  std::string name(kube::name_of(ingress));
  if (kube::annotation_of(ingress, "ingressclass.kubernetes.io/is-default-class") == "true") name += " (default)";
  std::string parameters = "<none>";
  if (const json::Value* reference = json::find(ingress, {"spec", "parameters"});
      reference != nullptr && reference->is_object()) {
    const std::string group = scalar_text(*reference, {"apiGroup"}, "");
    parameters = fmt::format("{}{}{}/{}", json::text_at(*reference, {"kind"}), group.empty() ? "" : ".", group,
                             json::text_at(*reference, {"name"}));
  }
  return {name, json::Value(json::text_at(ingress, {"spec", "controller"})), parameters, age_of(ingress, now)};
}

constexpr SheetRow kNetworkSheets[] = {
    {"networking.k8s.io", "ingresses", kIngressColumns, ingress_cells},
    {"networking.k8s.io", "ingressclasses", kIngressClassColumns, ingress_class_cells},
    {"", "services", kServiceColumns, service_cells},
    {"", "endpoints", kEndpointsColumns, endpoints_cells},
    {"discovery.k8s.io", "endpointslices", kEndpointSliceColumns, endpoint_slice_cells},
    {"networking.k8s.io", "networkpolicies", kNetworkPolicyColumns, network_policy_cells},
};

}  // namespace

std::span<const SheetRow> network_sheets() { return kNetworkSheets; }

}  // namespace drover::sim::print
