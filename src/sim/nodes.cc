#include "sim/nodes.h"

#include <fmt/format.h>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::fault;
using base::Fault;

constexpr int kMostNodes = 20'000;

std::string pci_label(std::string_view device) {
  return fmt::format("feature.node.kubernetes.io/pci-{}.present", device);
}

// "6.8.0-90-generic" -> {"6", "8", "0"}: NFD gives the parts as labels of their own.
std::vector<std::string_view> kernel_parts(std::string_view kernel) {
  return base::split(kernel.substr(0, kernel.find('-')), '.');
}

}  // namespace

const NodeTemplate& cpu_template() {
  static constexpr NodeTemplate kCpu = {.vendor = "cpu",
                                        .architecture = "amd64",
                                        .os_id = "debian",
                                        .os_version = "12",
                                        .os_image = "Debian GNU/Linux 12 (bookworm)",
                                        .kernel = "6.1.0-41-amd64",
                                        .pci_labels = "",
                                        .resource = "",
                                        .devices = 0,
                                        .module = "",
                                        .device_path = ""};
  return kCpu;
}

std::vector<const NodeTemplate*> node_templates(SimVendors vendors) {
  std::vector<const NodeTemplate*> kinds;
  for (const SimVendor* vendor : vendors) kinds.push_back(&vendor->node);
  kinds.push_back(&cpu_template());
  return kinds;
}

std::string known_templates(SimVendors vendors) {
  std::string known;
  for (const NodeTemplate* kind : node_templates(vendors))
    known += (known.empty() ? "" : ", ") + std::string(kind->vendor);
  return known;
}

const NodeTemplate* find_template(std::string_view vendor, SimVendors vendors) {
  for (const NodeTemplate* kind : node_templates(vendors)) {
    if (kind->vendor == vendor) return kind;
  }
  return nullptr;
}

const NodeTemplate& template_of(const kube::Object& node, SimVendors vendors) {
  for (const NodeTemplate* kind : node_templates(vendors)) {
    for (const auto device : base::split(kind->pci_labels, ',')) {
      if (!device.empty() && kube::label_of(node, pci_label(device)) == "true") return *kind;
    }
  }
  return cpu_template();
}

base::Result<std::vector<FleetPart>> parse_fleet(std::string_view text, SimVendors vendors) {
  std::vector<FleetPart> fleet;
  std::int64_t total = 0;
  if (base::trim(text).empty()) return fleet;
  for (const auto part : base::split(text, ',')) {
    const auto equals = part.find('=');
    const auto vendor = base::trim(part.substr(0, equals));
    const auto count =
        equals == std::string_view::npos ? -1 : base::parse_int(base::trim(part.substr(equals + 1))).value_or(-1);
    if (find_template(vendor, vendors) == nullptr) {
      return fault(
          Fault::Kind::Refused,
          fmt::format("unknown kind of node \"{}\": write for example {}=50,cpu=3; the kinds are {}",
                      base::one_line(vendor, 40), node_templates(vendors).front()->vendor, known_templates(vendors)));
    }
    if (count < 0 || count > kMostNodes) {
      return fault(Fault::Kind::Refused, fmt::format("\"{}\" does not say how many: write for example {}=50 (0 to {})",
                                                     base::one_line(part, 40), vendor, kMostNodes));
    }
    for (const auto& earlier : fleet) {
      if (earlier.vendor == vendor) {
        return fault(Fault::Kind::Refused,
                     fmt::format("{} stands twice in \"{}\": give one number for each kind of node", vendor,
                                 base::one_line(text, 80)));
      }
    }
    total += count;
    if (total > kMostNodes) {
      return fault(Fault::Kind::Refused,
                   fmt::format("{} nodes are more than the {} that one simulator takes", total, kMostNodes));
    }
    fleet.push_back({std::string(vendor), static_cast<int>(count)});
  }
  return fleet;
}

kube::Object make_node(const NodeTemplate& kind, const std::string& name) {
  json::Members labels;
  labels[kSimulatedLabel] = "true";
  labels["kubernetes.io/hostname"] = name;
  labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = kind.architecture;
  labels["beta.kubernetes.io/os"] = "linux";  // kubelets still set both
  labels["beta.kubernetes.io/arch"] = kind.architecture;
  labels["feature.node.kubernetes.io/kernel-version.full"] = kind.kernel;
  const auto parts = kernel_parts(kind.kernel);
  constexpr std::string_view kPartNames[] = {"major", "minor", "revision"};
  for (std::size_t i = 0; i < parts.size() && i < 3; ++i) {
    labels[fmt::format("feature.node.kubernetes.io/kernel-version.{}", kPartNames[i])] = parts[i];
  }
  labels["feature.node.kubernetes.io/system-os_release.ID"] = kind.os_id;
  labels["feature.node.kubernetes.io/system-os_release.VERSION_ID"] = kind.os_version;
  const auto version = base::split(kind.os_version, '.');
  labels["feature.node.kubernetes.io/system-os_release.VERSION_ID.major"] = version[0];
  if (version.size() > 1) labels["feature.node.kubernetes.io/system-os_release.VERSION_ID.minor"] = version[1];
  for (const auto device : base::split(kind.pci_labels, ',')) {
    if (!device.empty()) labels[pci_label(device)] = "true";
  }
  for (const auto label : base::split(kind.more_labels, ',')) {
    const auto equals = label.find('=');
    if (equals != std::string_view::npos) labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  json::Members metadata;
  metadata["name"] = name;
  metadata["labels"] = std::move(labels);
  metadata["annotations"] = json::Members{{"node.alpha.kubernetes.io/ttl", "0"}};  // small clusters: no caching
  json::Members node;
  node["apiVersion"] = "v1";
  node["kind"] = "Node";
  node["metadata"] = std::move(metadata);
  node["spec"] = json::Members{};
  return node;
}

std::vector<kube::Object> make_nodes(const std::vector<FleetPart>& fleet, SimVendors vendors) {
  std::vector<kube::Object> nodes;
  for (const auto& part : fleet) {
    const NodeTemplate* kind = find_template(part.vendor, vendors);
    for (int i = 1; kind != nullptr && i <= part.count; ++i) {
      nodes.push_back(make_node(*kind, fmt::format("{}-{}", part.vendor, i)));
    }
  }
  return nodes;
}

json::Members capacity_of(const NodeTemplate& kind) {
  json::Members capacity;
  capacity["cpu"] = "64";
  capacity["memory"] = "256Gi";
  capacity["ephemeral-storage"] = "1Ti";
  capacity["pods"] = "110";
  if (!kind.resource.empty()) capacity[kind.resource] = std::to_string(kind.devices);
  return capacity;
}

HostMakeup makeup_of(const NodeTemplate& kind) {
  HostMakeup makeup;
  makeup.kernel_release = kind.kernel;
  for (int i = 0; i < kind.devices; ++i) {
    makeup.devices.push_back({fmt::format(fmt::runtime(kind.device_path), i), std::string(kind.module), ""});
  }
  if (kind.furnish != nullptr) kind.furnish(makeup);
  return makeup;
}

}  // namespace drover::sim
