# Unity groups: several files of a folder in one unit, because headers cost more than our own lines (docs/architecture.md).
#
# The files build/unity/<name>_<n>.cc include ours by paths relative to the repository, so that a fresh clone finds in ccache
# what an older one compiled (CMake's own UNITY_BUILD writes absolute paths). With -DDROVER_UNITY=OFF each file is a unit.

option(DROVER_UNITY "compile files in groups; OFF for daily work on one file and for clang-tidy" ON)
set(DROVER_UNITY_LINES 2500 CACHE STRING "about how many lines a group has at most")

if(DROVER_UNITY AND gcc)
  # g++ takes every included file for a header, whose types must not hold file-local ones.
  add_compile_options(-Wno-subobject-linkage)
endif()

# drover_sources(VARIABLE NAME FILE...): what to compile for these files. A file called *_impl.cc stays alone: it is other
# people's code, and large.
function(drover_sources variable name)
  if(NOT DROVER_UNITY)
    set(${variable} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(units "")
  set(group "")
  set(lines 0)
  set(number 0)
  foreach(path IN LISTS ARGN)
    if(path MATCHES "_impl\\.cc$")
      list(APPEND units ${path})
      continue()
    endif()
    file(READ ${path} text)
    string(REGEX REPLACE "[^\n]" "" text "${text}")
    string(LENGTH "${text}" length)
    math(EXPR sum "${lines} + ${length}")
    if(group AND sum GREATER DROVER_UNITY_LINES)
      drover_unity_file(${name} ${number} "${group}" unit)
      list(APPEND units ${unit})
      math(EXPR number "${number} + 1")
      set(group "")
      set(sum ${length})
    endif()
    list(APPEND group ${path})
    set(lines ${sum})
  endforeach()
  if(group)
    drover_unity_file(${name} ${number} "${group}" unit)
    list(APPEND units ${unit})
  endif()
  set(${variable} ${units} PARENT_SCOPE)
endfunction()

# Writes one group, if it differs from what is there, and puts its path into VARIABLE.
function(drover_unity_file name number group variable)
  set(content "")
  foreach(path IN LISTS group)
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${path})
    string(APPEND content "#include \"${relative}\"\n")
  endforeach()
  set(unit ${CMAKE_BINARY_DIR}/unity/${name}_${number}.cc)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${content}" @ONLY)
  set(${variable} ${unit} PARENT_SCOPE)
endfunction()
