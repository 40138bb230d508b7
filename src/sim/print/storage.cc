// Volumes, the classes they come from, and claims on devices.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "sim/print/cells.h"

namespace drover::sim::print {
namespace {

std::string modes_of(const json::Array& modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  std::string text;
  for (const auto& [mode, letters] : kShort) {
    for (const json::Value& one : modes) {
      if (!one.is_string() || std::string_view(one.get_string()) != mode) continue;
      text.append(text.empty() ? "" : ",").append(letters);
      break;
    }
  }
  return text;
}

std::string phase_of(const json::Value& object) {
  return kube::is_being_deleted(object) ? "Terminating" : text_or(object, {"status", "phase"}, "");
}

// An annotation was the class before there was a field.
std::string class_of(const json::Value& object) {
  const json::Value* beta = json::find(object, {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  if (beta != nullptr && beta->is_string()) return std::string(beta->get_string());
  return text_or(object, {"spec", "storageClassName"}, "");
}

constexpr Column kVolumeColumns[] = {
    kName,
    {"Capacity", "string", "", 0, "how much it holds"},
    {"Access Modes", "string", "", 0, "who may mount it at a time"},
    {"Reclaim Policy", "string", "", 0, "what becomes of it after its claim"},
    {"Status", "string", "", 0, "whether it is free, bound or over"},
    {"Claim", "string", "", 0, "who has it"},
    {"StorageClass", "string", "", 0, "the class it comes from"},
    {"VolumeAttributesClass", "string", "", 0, "the class of its attributes"},
    {"Reason", "string", "", 0, "why it is so"},
    kAge,
    {"VolumeMode", "string", "", 1, "a file system, or a block device"},
};

json::Array volume_cells(const kube::Object& volume, base::WallTime now) {
  std::string claim;
  if (const json::Value* reference = json::find(volume, {"spec", "claimRef"});
      reference != nullptr && reference->is_object())
    claim = fmt::format("{}/{}", json::text_at(*reference, {"namespace"}), json::text_at(*reference, {"name"}));
  return {name_cell(volume),
          scalar_text(volume, {"spec", "capacity", "storage"}, "0"),
          modes_of(json::array_at(volume, {"spec", "accessModes"})),
          json::Value(json::text_at(volume, {"spec", "persistentVolumeReclaimPolicy"})),
          phase_of(volume),
          claim,
          class_of(volume),
          text_or(volume, {"spec", "volumeAttributesClassName"}, "<unset>"),
          json::Value(json::text_at(volume, {"status", "reason"})),
          age_of(volume, now),
          text_or(volume, {"spec", "volumeMode"}, "<unset>")};
}

constexpr Column kClaimColumns[] = {
    kName,
    {"Status", "string", "", 0, "whether it has a volume"},
    {"Volume", "string", "", 0, "which volume"},
    {"Capacity", "string", "", 0, "how much the volume holds"},
    {"Access Modes", "string", "", 0, "who may mount it at a time"},
    {"StorageClass", "string", "", 0, "the class it asks for"},
    {"VolumeAttributesClass", "string", "", 0, "the class of attributes it asks for"},
    kAge,
    {"VolumeMode", "string", "", 1, "a file system, or a block device"},
};

json::Array claim_cells(const kube::Object& claim, base::WallTime now) {
  const std::string_view volume = json::text_at(claim, {"spec", "volumeName"});
  return {name_cell(claim),
          phase_of(claim),
          json::Value(volume),
          volume.empty() ? "" : scalar_text(claim, {"status", "capacity", "storage"}, "0"),
          volume.empty() ? "" : modes_of(json::array_at(claim, {"status", "accessModes"})),
          class_of(claim),
          text_or(claim, {"spec", "volumeAttributesClassName"}, "<unset>"),
          age_of(claim, now),
          text_or(claim, {"spec", "volumeMode"}, "<unset>")};
}

constexpr Column kStorageClassColumns[] = {
    kName,
    {"Provisioner", "string", "", 0, "who makes the volumes"},
    {"ReclaimPolicy", "string", "", 0, "what becomes of a volume after its claim"},
    {"VolumeBindingMode", "string", "", 0, "whether a volume waits for a pod"},
    {"AllowVolumeExpansion", "string", "", 0, "whether volumes may grow"},
    kAge,
};

json::Array storage_class_cells(const kube::Object& storage, base::WallTime now) {
  std::string name(kube::name_of(storage));
  if (kube::annotation_of(storage, "storageclass.kubernetes.io/is-default-class") == "true" ||
      kube::annotation_of(storage, "storageclass.beta.kubernetes.io/is-default-class") == "true")
    name += " (default)";
  return {name,
          json::Value(json::text_at(storage, {"provisioner"})),
          text_or(storage, {"reclaimPolicy"}, "Delete"),
          text_or(storage, {"volumeBindingMode"}, "Immediate"),
          json::flag_at(storage, {"allowVolumeExpansion"}),
          age_of(storage, now)};
}

constexpr Column kDriverColumns[] = {
    kName,
    {"AttachRequired", "boolean", "", 0, "whether volumes must be attached first"},
    {"PodInfoOnMount", "boolean", "", 0, "whether it is told about the pod"},
    {"StorageCapacity", "boolean", "", 0, "whether it tells how much room there is"},
    {"TokenRequests", "string", "", 0, "tokens that it needs"},
    {"RequiresRepublish", "boolean", "", 0, "whether it is called again and again"},
    {"Modes", "string", "", 0, "how long its volumes live"},
    kAge,
};

json::Array driver_cells(const kube::Object& driver, base::WallTime now) {
  const json::Value* requests = json::find(driver, {"spec", "tokenRequests"});
  const bool asks = requests != nullptr && requests->is_array();
  const std::string modes = joined_texts(json::array_at(driver, {"spec", "volumeLifecycleModes"}));
  return {name_cell(driver),
          json::flag_at(driver, {"spec", "attachRequired"}, true),
          json::flag_at(driver, {"spec", "podInfoOnMount"}),
          json::flag_at(driver, {"spec", "storageCapacity"}),
          asks ? joined(requests->get_array(), "audience") : "<unset>",
          json::flag_at(driver, {"spec", "requiresRepublish"}),
          modes.empty() ? "<none>" : modes,
          age_of(driver, now)};
}

constexpr Column kDriversColumns[] = {kName, {"Drivers", "integer", "", 0, "how many drivers the node has"}, kAge};

json::Array drivers_cells(const kube::Object& node, base::WallTime now) {
  return {name_cell(node), json::Value(json::array_at(node, {"spec", "drivers"}).size()), age_of(node, now)};
}

constexpr Column kAttachmentColumns[] = {
    kName,
    {"Attacher", "string", "name", 0, "who attaches it"},
    {"PV", "string", "", 0, "which volume"},
    {"Node", "string", "", 0, "to which node"},
    {"Attached", "boolean", "", 0, "whether it is attached"},
    kAge,
};

json::Array attachment_cells(const kube::Object& attachment, base::WallTime now) {
  return {name_cell(attachment),
          json::Value(json::text_at(attachment, {"spec", "attacher"})),
          json::Value(json::text_at(attachment, {"spec", "source", "persistentVolumeName"})),
          json::Value(json::text_at(attachment, {"spec", "nodeName"})),
          json::flag_at(attachment, {"status", "attached"}),
          age_of(attachment, now)};
}

constexpr Column kResourceClaimColumns[] = {kName, {"State", "string", "", 0, "whether devices are set aside"}, kAge};

json::Array resource_claim_cells(const kube::Object& claim, base::WallTime now) {
  std::string state = kube::is_being_deleted(claim) ? "deleted" : "";
  const json::Value* allocation = json::find(claim, {"status", "allocation"});
  if (allocation == nullptr || allocation->is_null()) {
    if (state.empty()) state = "pending";
  } else {
    state += state.empty() ? "allocated" : ",allocated";
    if (!json::array_at(claim, {"status", "reservedFor"}).empty()) state += ",reserved";
  }
  return {name_cell(claim), state, age_of(claim, now)};
}

constexpr Column kResourceSliceColumns[] = {
    kName,
    {"Node", "string", "", 0, "where the devices are"},
    {"Driver", "string", "", 0, "who offers them"},
    {"Pool", "string", "", 0, "which pool they belong to"},
    kAge,
};

json::Array resource_slice_cells(const kube::Object& slice, base::WallTime now) {
  return {name_cell(slice), json::Value(json::text_at(slice, {"spec", "nodeName"})),
          json::Value(json::text_at(slice, {"spec", "driver"})),
          json::Value(json::text_at(slice, {"spec", "pool", "name"})), age_of(slice, now)};
}

constexpr SheetRow kStorageSheets[] = {
    {"", "persistentvolumes", kVolumeColumns, volume_cells},
    {"", "persistentvolumeclaims", kClaimColumns, claim_cells},
    {"storage.k8s.io", "storageclasses", kStorageClassColumns, storage_class_cells},
    {"storage.k8s.io", "csidrivers", kDriverColumns, driver_cells},
    {"storage.k8s.io", "csinodes", kDriversColumns, drivers_cells},
    {"storage.k8s.io", "volumeattachments", kAttachmentColumns, attachment_cells},
    {"resource.k8s.io", "resourceclaims", kResourceClaimColumns, resource_claim_cells},
    {"resource.k8s.io", "resourceslices", kResourceSliceColumns, resource_slice_cells},
};

}  // namespace

std::span<const SheetRow> storage_sheets() { return kStorageSheets; }

}  // namespace drover::sim::print
