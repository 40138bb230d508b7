# Files that travel inside the binary. drover_embed(ROOM NAME FILE...) gives the room's library a function
# `std::span<const std::string_view> drover::ROOM::NAME()`: the text of each file, in order. The room declares it.

function(drover_embed room name)
  set(texts "")
  foreach(path IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND texts "      R\"embedded(${text})embedded\",\n")
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/embedded/${room}_${name}.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include <span>
#include <string_view>

namespace drover::@room@ {

std::span<const std::string_view> @name@();

std::span<const std::string_view> @name@() {
  static constexpr std::string_view kTexts[] = {
@texts@  };
  return kTexts;
}

}  // namespace drover::@room@
]])
  target_sources(drover_${room} PRIVATE ${source})
endfunction()
