// The form of the answer: the Accept header, read as an API server reads it.
#pragma once

#include <string>
#include <string_view>

#include "sim/server.h"

namespace drover::sim::door {

enum class Form { Plain, Table, PartialMetadata, PartialMetadataList, Discovery };

struct AcceptedForm {
  Form form = Form::Plain;
  bool yaml = false;
  std::string version = "v1";  // of the group that the form is of
};

// Where a wish is spoken: only discovery has its own form, and has no others.
enum class Spoken { ToObject, ToList, ToDiscovery };

// The first acceptable form, by preference and then by order; a 406 that lists what there is.
Answer<AcceptedForm> read_accept(std::string_view header, Spoken where);

}  // namespace drover::sim::door
