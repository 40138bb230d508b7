#include "vendors/nvidia/sim/machine.h"

#include "vendors/nvidia/agent/programs.h"

namespace drover::sim {
namespace {

// The driver container takes its modules out again when it ends.
constexpr ImageRow kNvidiaImages[] = {
    {"*drover*", "k8s-driver-manager",
     "say uninstalling; try-unload nvidia_modeset; try-unload nvidia_uvm; unload nvidia; say done"},
    {"*drover*", "nvidia-operator-validator",
     "say waiting for the driver; await nvidia; wait task; need nvidia; say driver is ready; ready; wait forever"},
    {"*nvidia*/driver:*", "*",
     "say installing the NVIDIA driver $VERSION; wait driver; load nvidia $VERSION; load nvidia_uvm $VERSION on "
     "nvidia; "
     "load nvidia_modeset $VERSION on nvidia; say done, now waiting for signal; ready; wait forever; "
     "when-stopped; try-unload nvidia_modeset; try-unload nvidia_uvm; try-unload nvidia"},
    {"*nvidia*k8s-driver-manager*", "*",
     "say uninstalling; try-unload nvidia_modeset; try-unload nvidia_uvm; unload nvidia; say done"},
    {"*nvidia*validator*", "driver-validation", "say waiting for the driver; await nvidia; say driver is ready"},
    {"*nvidia*validator*", "*-validation", "wait task; need nvidia; say validation is done"},
};

// With the note by which the agent knows the driver that is loaded.
constexpr ImageRow kNvidiaAgentImages[] = {
    {"*drover*", "k8s-driver-manager", "program driver-manager"},
    {"*nvidia*/driver:*", "nvidia-driver-ctr",
     "say installing the NVIDIA driver $VERSION; wait driver; load nvidia $VERSION; load nvidia_uvm $VERSION on "
     "nvidia; "
     "load nvidia_modeset $VERSION on nvidia; write /run/nvidia/nvidia-driver.state $DRIVER_CONFIG_DIGEST; "
     "say done, now waiting for signal; ready; wait forever; "
     "when-stopped; try-unload nvidia_modeset; try-unload nvidia_uvm; try-unload nvidia"},
};

void furnish_nvidia(HostMakeup& makeup) {
  makeup.devices.push_back({"/dev/nvidiactl", "nvidia"});
  makeup.devices.push_back({"/dev/nvidia-uvm", "nvidia_uvm"});
}

constexpr DemoStory kNvidiaDemo = {
    .policy = R"({"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "cluster-policy"},
      "spec": {"driver": {"version": "535.129.03", "startupProbe": {"initialDelaySeconds": 0, "periodSeconds": 1},
        "upgradePolicy": {"autoUpgrade": true, "maxParallelUpgrades": 4, "maxUnavailable": "50%",
                          "gpuPodDeletion": {"timeoutSeconds": 3600}}}}})",
    .first_driver = "535.129.03",
    .driver = "550.54.14",
    .change = R"({"spec": {"driver": {"version": "550.54.14"}}})",
    .command = "kubectl patch clusterpolicy/cluster-policy",
    .go_on_typing =
        "kubectl patch clusterpolicy/cluster-policy --type=json \\\n"
        R"(  -p='[{"op": "replace", "path": "/spec/driver/version", "value": "570.86.15"}]')"
        "\nkubectl get nodes -L nvidia.com/gpu-driver-upgrade-state",
};

}  // namespace

const SimVendor& nvidia() {
  static const SimVendor kNvidia = {.node = {.vendor = "nvidia",
                                             .architecture = "amd64",
                                             .os_id = "ubuntu",
                                             .os_version = "22.04",
                                             .os_image = "Ubuntu 22.04.5 LTS",
                                             .kernel = "6.8.0-90-generic",
                                             .pci_labels = "10de,0302_10de",
                                             .resource = "nvidia.com/gpu",
                                             .devices = 8,
                                             .module = "nvidia",
                                             .device_path = "/dev/nvidia{}",
                                             .furnish = furnish_nvidia},
                                    .images = kNvidiaImages,
                                    .agent_images = kNvidiaAgentImages,
                                    .programs = agent::nvidia().programs,
                                    .demo = &kNvidiaDemo};
  return kNvidia;
}

}  // namespace drover::sim
