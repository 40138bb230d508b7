#include "agent/own_node.h"

#include "kube/version_order.h"
#include "protocol/keys.h"
#include "protocol/record.h"

namespace drover::agent {
namespace {

kube::Projection worth_knowing() { return {"metadata.labels", "metadata.annotations"}; }

}  // namespace

std::string open_claim(const kube::Object& node) {
  const auto record = protocol::parse_record(kube::annotation_of(node, protocol::kRecordAnnotation));
  // A claim of a Node that had our name before means nothing.
  return record && record->held && record->held->node == kube::uid_of(node) ? record->held->claim.id : std::string();
}

std::optional<std::string> recorded_claim(const kube::Object& node) {
  const auto record = protocol::parse_record(kube::annotation_of(node, protocol::kRecordAnnotation));
  return record && record->held ? std::optional(record->held->claim.id) : std::nullopt;
}

void read_order(const kube::Object& node, std::string_view annotation, std::optional<protocol::Order>& order,
                std::string& trouble) {
  const std::string_view text = kube::annotation_of(node, annotation);
  if (text.empty()) return;
  auto read = protocol::parse_order(text);
  if (read)
    order = std::move(*read);
  else
    trouble = read.error().message;
}

OwnNode::OwnNode(kube::Api& api, base::Loop& loop, base::Random random, std::string name, std::function<void()> changed)
    : api_(api),
      name_(std::move(name)),
      changed_(std::move(changed)),
      reflector_(api, loop, random.fork("node"), {kube::kNodes, "", "", "metadata.name=" + name_}, worth_knowing(),
                 {.sweep_began = [] {},
                  .put = [this](const kube::Object& object) { put(object); },
                  .drop =
                      [this](const kube::Object&) {
                        seen_.reset();
                        changed_();
                      },
                  .sweep_ended = [] {},
                  .trouble = [this](const base::Fault& fault) { trouble_ = fault.message; }}) {}

void OwnNode::put(const kube::Object& object) {
  trouble_.clear();
  if (seen_ && kube::uid_of(*seen_) == kube::uid_of(object) &&
      kube::is_older(kube::version_of(object), kube::version_of(*seen_)))
    return;
  seen_ = object;
  changed_();
}

void OwnNode::patch(const LabelChanges& labels, std::string_view annotation, const std::string& text,
                    std::function<void(std::optional<base::Fault>)> done) {
  json::Members metadata;
  if (seen_) metadata["uid"] = kube::uid_of(*seen_);
  if (seen_ && !labels.empty()) metadata["resourceVersion"] = kube::version_of(*seen_);
  metadata["annotations"] = json::Members{{annotation, text}};
  json::Members changes;
  for (const auto& [key, value] : labels) changes[key] = value ? json::Value(*value) : json::Value(nullptr);
  if (!changes.empty()) metadata["labels"] = std::move(changes);
  auto request =
      kube::patch(kube::kNodes, "", name_, kube::PatchKind::Merge, json::Members{{"metadata", std::move(metadata)}});
  request.field_manager = "drover-agent";
  request.projection = worth_knowing();
  is_patching_ = true;
  call_ = api_.call(std::move(request), [this, done = std::move(done)](const base::Result<kube::Object>& answer) {
    is_patching_ = false;
    if (!answer) return done(answer.error());
    if (!seen_ || !kube::is_older(kube::version_of(*answer), kube::version_of(*seen_))) seen_ = *answer;
    done({});
  });
}

}  // namespace drover::agent
