#include "sim/nodes.h"

#include <fmt/format.h>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::fault;
using base::Fault;

constexpr int kMostNodes = 20'000;

std::string known_vendors() {
  std::string known;
  for (const auto& kind : node_templates()) known += (known.empty() ? "" : ", ") + std::string(kind.vendor);
  return known;
}

std::string pci_label(std::string_view device) {
  return fmt::format("feature.node.kubernetes.io/pci-{}.present", device);
}

// "6.8.0-90-generic" -> {"6", "8", "0"}: NFD gives the parts as labels of their own.
std::vector<std::string_view> kernel_parts(std::string_view kernel) {
  return base::split(kernel.substr(0, kernel.find('-')), '.');
}

}  // namespace

const std::vector<NodeTemplate>& node_templates() {
  static const std::vector<NodeTemplate> kTemplates = {
      // vendor         arch     os         version  image                  kernel
      //   pci                   resource                 n  module         device
      {"nvidia", "amd64", "ubuntu", "22.04", "Ubuntu 22.04.5 LTS", "6.8.0-90-generic", "10de,0302_10de",
       "nvidia.com/gpu", 8, "nvidia", "/dev/nvidia{}"},
      {"tenstorrent", "amd64", "ubuntu", "22.04", "Ubuntu 22.04.5 LTS", "6.8.0-90-generic", "1e52,1200_1e52",
       "tenstorrent.com/n300", 4, "tenstorrent", "/dev/tenstorrent/{}"},
      {"rebellions", "amd64", "ubuntu", "22.04", "Ubuntu 22.04.5 LTS", "6.8.0-90-generic", "1eff,1200_1eff",
       "rebellions.ai/ATOM", 8, "rebellions", "/dev/rbln{}"},
      {"ascend", "arm64", "openEuler", "24.03", "openEuler 24.03 (LTS-SP3)", "6.6.0-145.0.4.135.oe2403sp3.aarch64",
       "19e5,1200_19e5", "huawei.com/Ascend910", 8, "davinci", "/dev/davinci{}"},
      {"cpu", "amd64", "debian", "12", "Debian GNU/Linux 12 (bookworm)", "6.1.0-41-amd64", "", "", 0, "", ""},
  };
  return kTemplates;
}

const NodeTemplate* find_template(std::string_view vendor) {
  for (const auto& kind : node_templates()) {
    if (kind.vendor == vendor) return &kind;
  }
  return nullptr;
}

const NodeTemplate& template_of(const kube::Object& node) {
  for (const auto& kind : node_templates()) {
    for (const auto device : base::split(kind.pci_labels, ',')) {
      if (!device.empty() && kube::label_of(node, pci_label(device)) == "true") return kind;
    }
  }
  return *find_template("cpu");
}

base::Result<std::vector<FleetPart>> parse_fleet(std::string_view text) {
  std::vector<FleetPart> fleet;
  std::int64_t total = 0;
  if (base::trim(text).empty()) return fleet;
  for (const auto part : base::split(text, ',')) {
    const auto equals = part.find('=');
    const auto vendor = base::trim(part.substr(0, equals));
    const auto count =
        equals == std::string_view::npos ? -1 : base::parse_int(base::trim(part.substr(equals + 1))).value_or(-1);
    if (find_template(vendor) == nullptr) {
      return fault(Fault::Kind::Refused,
                   fmt::format("\"{}\" is no kind of node: write for example nvidia=50,cpu=3; there are {}",
                               base::one_line(vendor, 40), known_vendors()));
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
  if (kind.vendor == "ascend") labels["workerselector"] = "dls-worker-node";
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

std::vector<kube::Object> make_nodes(const std::vector<FleetPart>& fleet) {
  std::vector<kube::Object> nodes;
  for (const auto& part : fleet) {
    const NodeTemplate* kind = find_template(part.vendor);
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
  if (kind.module == "tenstorrent") {
    for (int i = 0; i < kind.devices; ++i)
      makeup.devices[static_cast<std::size_t>(i)].openers = fmt::format("/proc/driver/tenstorrent/{}/pids", i);
    makeup.files[fmt::format("/lib/modules/{}/build/Makefile", kind.kernel)] = "# headers\n";
  }
  if (kind.module == "nvidia") {
    makeup.devices.push_back({"/dev/nvidiactl", "nvidia"});
    makeup.devices.push_back({"/dev/nvidia-uvm", "nvidia_uvm"});
  }
  return makeup;
}

}  // namespace drover::sim
