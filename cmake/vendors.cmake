# Registries of the vendors that are there: a folder src/vendors/<name> with its parts is enough to be in them.
#
# drover_registry(TARGET NAMESPACE TYPE HEADER [KNOWS room...]) makes a library with one generated file, which defines
# `std::span<const TYPE* const> drover::NAMESPACE::all()`: what drover::NAMESPACE::<name>() gives, for each vendor whose folder
# has HEADER, in the order of their names. Static registration is avoided: linkers drop it from static libraries.

function(drover_registry target namespace type header)
  cmake_parse_arguments(registry "" "" "KNOWS" ${ARGN})
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/vendors/*/${header})
  list(SORT headers)
  set(includes "")
  set(entries "")
  foreach(path IN LISTS headers)
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR}/src ${path})
    string(REGEX REPLACE "^vendors/([^/]+)/.*$" "\\1" vendor ${relative})
    string(APPEND includes "#include \"${relative}\"\n")
    string(APPEND entries "&${vendor}(), ")
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/registries/${target}.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
@includes@
namespace drover::@namespace@ {

std::span<const @type@* const> all() {
  static const @type@* const kAll[] = {@entries@};
  return kAll;
}

}  // namespace drover::@namespace@
]])
  add_library(drover_${target} STATIC ${source})
  target_include_directories(drover_${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  drover_link(drover_${target} ${registry_KNOWS})
endfunction()
