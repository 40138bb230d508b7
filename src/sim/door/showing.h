// How objects are shown to one client: whole, by their metadata only, or as rows of a Table.
#pragma once

#include <memory>
#include <string>

#include "kube/api.h"
#include "kube/resource.h"
#include "sim/door/accept.h"
#include "sim/door/context.h"
#include "sim/door/words.h"
#include "sim/print/table.h"

namespace drover::sim::door {

enum class Quantity { One, Many };

class Showing {
 public:
  // A 406 or 400 when the client asks for a form that is not supported.
  static Answer<Showing> make(const DoorContext& context, const Visit& visit, const kube::Resource& resource,
                              Quantity quantity);

  // One object as the whole answer.
  json::Value whole(const kube::Object& object) const;

  // A list is `head`, items with "," between them, `tail`.
  std::string head(const ListPage& page) const;
  void append_item(std::string& out, const kube::Object& object) const;
  std::string_view tail() const { return "]}"; }

  // One line of a watch. A Table's columns come with its first event only.
  std::string event(kube::WatchEvent::Kind kind, const kube::Object& object);
  std::string bookmark(std::uint64_t version, bool ends_initial_events);

  bool yaml() const { return wish_.yaml; }

 private:
  Showing(const base::Loop& loop, AcceptedForm wish, print::Sheet sheet, print::Include include)
      : loop_(loop), wish_(std::move(wish)), sheet_(std::move(sheet)), include_(include) {}

  json::Value metadata_only(const kube::Object& object) const;

  const base::Loop& loop_;
  AcceptedForm wish_;
  print::Sheet sheet_;
  std::shared_ptr<const crd::Version> columns_ = {};  // of a custom resource; the sheet looks into it
  print::Include include_;
  kube::Resource resource_ = {};
  std::string list_kind_ = {};
  bool items_have_kind_ = false;
  bool columns_were_sent_ = false;
};

}  // namespace drover::sim::door
