// Walks over objects that know the types of their places: which places are there, which differ, merging and taking
// away. Together they are what server-side apply is made of.
#pragma once

#include <string>

#include "base/json.h"
#include "sim/server/field_set.h"
#include "sim/server/field_types.h"

namespace drover::sim {

// Every place that a value sets.
FieldSet places_in(const json::Value& value, const FieldTypes& types);

struct Comparison {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;
};
Comparison compare(const json::Value& before, const json::Value& after, const FieldTypes& types);

// `wish` laid over `live`: keyed lists are merged by key, sets united, the rest replaced.
json::Value laid_over(const json::Value& live, const json::Value& wish, const FieldTypes& types);

// The value without these places.
json::Value without_places(const json::Value& value, const FieldSet& gone, const FieldTypes& types);

// The same set, with every named field on the way to a member a member itself.
FieldSet with_named_fields(const FieldSet& set, const FieldTypes& types);

// `.spec.containers: duplicate entries for key [name="c"]` for the first list that gives a key twice; "" when none
// does.
std::string given_twice(const json::Value& value, const FieldTypes& types);

}  // namespace drover::sim
