#include "vendors/shared/preflight.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "protocol/keys.h"
#include "vendors/shared/pod_parts.h"

namespace drover::vendors {
namespace {

using json::Array;
using json::Members;
using parts::mount;

constexpr std::string_view kHelperPlace = "/drover-preflight";
constexpr std::size_t kMostNameBytes = 63;

// Neither container needs anything from the node.
Members bare_rights() {
  return {{"allowPrivilegeEscalation", false},
          {"readOnlyRootFilesystem", true},
          {"runAsNonRoot", true},
          {"runAsUser", 65534},
          {"runAsGroup", 65534},
          {"capabilities", Members{{"drop", Array{"ALL"}}}},
          {"seccompProfile", Members{{"type", "RuntimeDefault"}}}};
}

Members preflight_resources() {
  return {{"requests", Members{{"cpu", "1m"}, {"memory", "8Mi"}}}, {"limits", Members{{"memory", "64Mi"}}}};
}

}  // namespace

std::string preflight_name(std::string_view node, std::string_view digest) {
  const std::string tail = fmt::format("-{:016x}", base::fnv1a(fmt::format("{}\n{}", node, digest)));
  std::string name = fmt::format("drover-preflight-{}", node);
  name.resize(std::min(name.size(), kMostNameBytes - tail.size()));
  while (name.ends_with('.') || name.ends_with('-')) name.pop_back();
  return name + tail;
}

json::Value render_preflight(const Preflight& wanted, const OperandSettings& settings) {
  Members metadata = {{"name", preflight_name(wanted.node, wanted.digest)}, {"namespace", settings.ns}};
  Members labels = wanted.labels;
  labels[protocol::kDigestLabel] = wanted.digest;
  metadata["labels"] = std::move(labels);
  metadata["ownerReferences"] = Array{wanted.owner};

  const std::string helper = fmt::format("{}/exit-well", kHelperPlace);
  const Array mounts = {mount("helper", kHelperPlace)};
  Members place = {{"name", "place-helper"},
                   {"image", settings.own_image},
                   {"imagePullPolicy", settings.own_pull_policy},
                   {"command", Array{parts::kProgram}},
                   {"args", Array{"agent", "place-helper", "--to", helper}},
                   {"resources", preflight_resources()},
                   {"securityContext", bare_rights()},
                   {"volumeMounts", mounts}};
  Members pull = {{"name", "image-is-here"},
                  {"image", wanted.image},
                  {"imagePullPolicy", wanted.pull_policy},
                  {"command", Array{helper}},
                  {"resources", preflight_resources()},
                  {"securityContext", bare_rights()},
                  {"volumeMounts", Array{mount("helper", kHelperPlace, true)}}};

  Members spec;
  // Past the scheduler: the node may be cordoned, tainted or full, and no other node will do.
  spec["nodeName"] = wanted.node;
  spec["tolerations"] = Array{Members{{"operator", "Exists"}}};
  spec["restartPolicy"] = "Never";
  spec["activeDeadlineSeconds"] = settings.preflight_seconds;
  spec["terminationGracePeriodSeconds"] = 0;
  spec["automountServiceAccountToken"] = false;
  spec["enableServiceLinks"] = false;
  if (!settings.preflight_priority_class.empty()) spec["priorityClassName"] = settings.preflight_priority_class;
  Array secrets = parts::pull_secrets(settings.own_pull_secrets, wanted.pull_secrets);
  if (!secrets.empty()) spec["imagePullSecrets"] = std::move(secrets);
  spec["initContainers"] = Array{std::move(place)};
  spec["containers"] = Array{std::move(pull)};
  spec["volumes"] = Array{Members{{"name", "helper"}, {"emptyDir", Members{{"sizeLimit", "1Mi"}}}}};
  return Members{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

}  // namespace drover::vendors
