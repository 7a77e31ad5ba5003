# What every target of ours is compiled with. INTERFACE targets, linked PRIVATE, so that
# nothing leaks into whoever links us. Libraries that pose as somebody else's take
# cudaenv_plain_options, which have no sanitizers.

add_library(cudaenv_plain_options INTERFACE)
add_library(cudaenv_options INTERFACE)
target_link_libraries(cudaenv_options INTERFACE cudaenv_plain_options)
target_compile_features(cudaenv_plain_options INTERFACE cxx_std_20)
target_include_directories(cudaenv_plain_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(cudaenv_plain_options INTERFACE _FILE_OFFSET_BITS=64)
target_compile_options(cudaenv_plain_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual)
# GCC 12 and 13 warn of memcpy overlaps inside `"text" + std::string` when optimising, where there
# are none (their bug 105651). The sanitizer presets look for real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  target_compile_options(cudaenv_plain_options INTERFACE -Wno-restrict)
endif()
if(CUDAENV_WERROR)
  target_compile_options(cudaenv_plain_options INTERFACE -Werror)
endif()
if(CUDAENV_SANITIZE)
  target_compile_options(cudaenv_options INTERFACE
    -fsanitize=${CUDAENV_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(cudaenv_options INTERFACE -fsanitize=${CUDAENV_SANITIZE})
endif()

# Linking dominates an incremental build; mold is used where it is installed.
find_program(CUDAENV_MOLD mold)
if(CUDAENV_MOLD AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION)
  target_link_options(cudaenv_plain_options INTERFACE -fuse-ld=mold)
endif()

# The lowest layer and the support of the tests, which are compiled with other flags, each make
# precompiled headers; those above them share these. What a compiler does not miss then, the lint
# test `precompiled` does. ccache keeps no object that they went into: with it there are none.
# TESTS: only for the tests, where nothing is optimised; GCC 12 warns of what is no fault in the
# standard library's precompiled headers when it optimises.
#   cudaenv_precompiled(<target> [FROM <target>] [HEADERS <header>...])
set(CUDAENV_PRECOMPILE "" CACHE STRING "Precompile the commonest headers: ALL, TESTS or nothing")
function(cudaenv_precompiled target)
  cmake_parse_arguments(ARG "" "FROM" "HEADERS" ${ARGN})
  if(NOT CUDAENV_PRECOMPILE OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache"
     OR CMAKE_CXX_COMPILER MATCHES "/ccache/")
    return()
  endif()
  if(ARG_FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARG_FROM})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <chrono> <filesystem> <functional> <map> <optional> <set> <string> <string_view>
    <utility> <variant> <vector> <fmt/format.h> ${ARG_HEADERS})
endfunction()

# One static library a layer. LINKS names the layers below that it may include (style: the
# include table), so that a forbidden dependency fails to link as well as in the lint test.
#   cudaenv_layer(<name> SOURCES a.cpp ... [LAYERS base ...] [LIBRARIES fmt::fmt ...])
function(cudaenv_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS;LIBRARIES" ${ARGN})
  add_library(cudaenv_${name} STATIC ${ARG_SOURCES})
  if(CUDAENV_PRECOMPILE STREQUAL "ALL" AND name STREQUAL "base")
    cudaenv_precompiled(cudaenv_base)
  elseif(CUDAENV_PRECOMPILE STREQUAL "ALL")
    cudaenv_precompiled(cudaenv_${name} FROM cudaenv_base)
  endif()
  target_link_libraries(cudaenv_${name} PRIVATE cudaenv_options ${ARG_LIBRARIES})
  target_link_libraries(cudaenv_${name} PUBLIC fmt::fmt)
  foreach(layer IN LISTS ARG_LAYERS)
    target_link_libraries(cudaenv_${name} PUBLIC cudaenv_${layer})
  endforeach()
endfunction()
