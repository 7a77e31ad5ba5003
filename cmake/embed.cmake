# Files as read-only bytes in a target, found by name at run time.
#
#   cudaenv_embed(<target> NAME <identifier> BASE <folder> FILES <file>...)
#
# gives <target> the header "embedded/<identifier>.hpp" with a namespace of that name. A file's
# name is its path below BASE. The bytes are assembled with .incbin and reached by offsets, so that
# nothing is relocated or constructed when the program starts, and link-time optimisation and
# sanitizers have nothing to change. A file whose content changes is assembled anew.
function(cudaenv_embed target)
  cmake_parse_arguments(ARG "" "NAME;BASE" "FILES" ${ARGN})
  set(symbol cudaenv_embedded_${ARG_NAME})

  set(names)
  foreach(file IN LISTS ARG_FILES)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ARG_BASE} OUTPUT_VARIABLE name)
    if(name MATCHES "[^A-Za-z0-9._/+-]")
      message(FATAL_ERROR "cudaenv_embed: ${name} is not a plain name")
    endif()
    list(APPEND names ${name})
  endforeach()
  list(SORT names COMPARE STRING)  # by bytes: find() searches by halving
  list(LENGTH names count)

  # Count, then for each file: offset and length of the name, offset and length of the bytes.
  set(table "")
  set(blobs "")
  set(paths)
  set(number 0)
  foreach(name IN LISTS names)
    set(path ${ARG_BASE}/${name})
    list(APPEND paths ${path})
    string(LENGTH ${name} length)
    string(APPEND table "  .long n${number} - ${symbol}, ${length}, "
      "b${number} - ${symbol}, e${number} - b${number}\n")
    string(APPEND blobs "n${number}: .ascii \"${name}\"\n"
      "b${number}: .incbin \"${path}\"\ne${number}:\n")
    math(EXPR number "${number} + 1")
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embed)
  set(EMBED_NAME ${ARG_NAME})
  set(EMBED_SYMBOL ${symbol})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.hpp.in
    ${folder}/embedded/${ARG_NAME}.hpp @ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.cpp.in ${folder}/${ARG_NAME}.cpp @ONLY)
  file(CONFIGURE OUTPUT ${folder}/${ARG_NAME}_bytes.s @ONLY CONTENT
"  .section .rodata
  .balign 8
  .globl ${symbol}
  .type ${symbol}, %object
${symbol}:
  .long ${count}
${table}${blobs}  .size ${symbol}, . - ${symbol}
  .section .note.GNU-stack, \"\", %progbits
")
  set_source_files_properties(${folder}/${ARG_NAME}_bytes.s PROPERTIES
    OBJECT_DEPENDS "${paths}" LANGUAGE ASM)

  # Apart from the target: its C++ warnings and sanitizers mean nothing to the assembler.
  add_library(${target}_${ARG_NAME} OBJECT ${folder}/${ARG_NAME}_bytes.s)
  target_sources(${target} PRIVATE
    ${folder}/${ARG_NAME}.cpp $<TARGET_OBJECTS:${target}_${ARG_NAME}>)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
