# Helpers that give every target of the project the same flags.

add_library(cospadi_flags INTERFACE)
target_include_directories(cospadi_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(
    cospadi_flags
    INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
              $<$<BOOL:${COSPADI_WARNINGS_AS_ERRORS}>:-Werror>)
# Eigen's quick square root of floats begins with what a processor takes for its inverse, which is not
# the same on all of them, and leaves a bit or two.
target_compile_definitions(cospadi_flags INTERFACE EIGEN_FAST_MATH=0)
# What the optimiser of GCC 12 to 14 sees in the standard library's own inlined code comes and goes
# with the version: shown, but no error.
target_compile_options(
    cospadi_flags
    INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-error=array-bounds -Wno-error=restrict
              -Wno-error=stringop-overflow -Wno-error=maybe-uninitialized>)
# Pragmas that quieten GCC name warnings which Clang does not have; and where it does not optimise it
# could not vectorise.
target_compile_options(
    cospadi_flags
    INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-warning-option -Wno-pass-failed>)

# COSPADI_UNITY: what is shipped is compiled in units of up to 48 files of a target. Most of a file's
# time goes into headers and what they make of templates, once a unit: 96 files of app/cli take 75 s
# as one, 155 s as six. But where one file changed all of its unit is compiled again, so that presets
# for work on the sources go without, and a compiler takes up to 1.8 GiB. What a
# file names in an anonymous namespace must be no other thing's name in its folder.
set(CMAKE_UNITY_BUILD OFF)

# GCC looks for memory to free whenever what it holds has doubled, in a unit of many files a sixth of
# its time. Where a core has the memory that a unit may then take it begins at 1 GiB.
set(cospadi_compiler_memory)
set(cospadi_megabytes_a_compiler 2048)
cmake_host_system_information(RESULT cospadi_megabytes QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT cospadi_cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR cospadi_megabytes_a_core "${cospadi_megabytes} / ${cospadi_cores}")
if(COSPADI_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND cospadi_megabytes_a_core GREATER 3000)
    set(cospadi_compiler_memory
        "$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=1048576>")
    set(cospadi_megabytes_a_compiler 2560)
endif()
# For packaging/build.sh, which starts as many as memory holds.
set(COSPADI_MEGABYTES_A_COMPILER ${cospadi_megabytes_a_compiler} CACHE INTERNAL "")

function(cospadi_in_units name)
    set_target_properties(${name} PROPERTIES UNITY_BUILD "${COSPADI_UNITY}" UNITY_BUILD_BATCH_SIZE 48)
    # GCC takes what a unit includes for a header, where such a field would be a fault.
    target_compile_options(
        ${name}
        PRIVATE $<$<AND:$<BOOL:${COSPADI_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>
                ${cospadi_compiler_memory})
endfunction()

# What a release's compiler spends on the code of those who wait for disks, databases and people is a
# third of a first build's time, and nobody notices it: only libraries that compute are optimised fully.
function(cospadi_optimise_lightly name)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Of a target whose classes have signals or slots. moc_alone.sh.in says why.
function(cospadi_moc name)
    set_target_properties(${name} PROPERTIES AUTOMOC ON AUTOMOC_COMPILER_PREDEFINES OFF
                                             AUTOMOC_EXECUTABLE "${COSPADI_MOC_ALONE}")
endfunction()

# Headers that take longest to read are read once for many targets of the same flags. The preset clang
# goes without (CMAKE_DISABLE_PRECOMPILE_HEADERS), so that every file says what it includes.
# cospadi_headers(NAME HEADERS <a> <b> DEPENDS c d): what others name as HEADERS.
function(cospadi_headers name)
    cmake_parse_arguments(ARG "" "" "HEADERS;DEPENDS" ${ARGN})
    set(source "${CMAKE_BINARY_DIR}/generated/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Nothing but its headers.\n")
    add_library(${name} OBJECT "${source}")
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} cospadi_flags)
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
    cospadi_optimise_lightly(${name})
endfunction()

# cospadi_sources_of(VARIABLE [RECURSIVE]): every .cpp of the current folder, or of those below it, too.
macro(cospadi_sources_of variable)
    set(glob GLOB)
    if("${ARGN}" STREQUAL RECURSIVE)
        set(glob GLOB_RECURSE)
    endif()
    file(${glob} ${variable} CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
endmacro()

# cospadi_add_library(NAME [RECURSIVE] [COMPUTES | HEADERS h] DEPENDS a b c): a static library of those;
# precompiled headers are for what does not compute.
# Headers are included from the root of the tree: #include "core/linalg/backend.h".
function(cospadi_add_library name)
    cmake_parse_arguments(ARG "RECURSIVE;COMPUTES" "HEADERS" "DEPENDS" ${ARGN})
    set(depth)
    if(ARG_RECURSIVE)
        set(depth RECURSIVE)
    endif()
    cospadi_sources_of(sources ${depth})
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE cospadi_flags)
    target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}")
    cospadi_in_units(${name})
    if(CMAKE_AUTOMOC)
        cospadi_moc(${name})
    endif()
    if(NOT ARG_COMPUTES)
        cospadi_optimise_lightly(${name})
    endif()
    if(ARG_HEADERS)
        target_precompile_headers(${name} REUSE_FROM ${ARG_HEADERS})
    endif()
endfunction()

# What is written with Qt Test: its moc, where its data are, the headers of its folder of tests, light
# optimisation.
function(cospadi_compile_tests name)
    # As the headers are compiled: GCC 14 takes no precompiled ones of -fPIC where a program is -fPIE.
    cospadi_moc(${name})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
    target_link_libraries(${name} PRIVATE Qt6::Test cospadi_flags)
    target_compile_definitions(
        ${name} PRIVATE COSPADI_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                        COSPADI_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                        COSPADI_SHARED_DIR="${CMAKE_SOURCE_DIR}/../shared")
    cospadi_optimise_lightly(${name})
    # Qt tells every test its folder, so that each folder of tests has headers of its own.
    get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
    target_precompile_headers(${name} REUSE_FROM cospadi_${folder}_test_headers)
    # A test's own moc is included by its file, which leaves this one nothing but the headers.
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/${name}_autogen/mocs_compilation.cpp"
                                PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# cospadi_add_tests(PROGRAM [WIDGETS] TESTS tst_a tst_b DEPENDS c d [SOURCES x.cpp …]): a program of the
# tests in tst_a.cpp and tst_b.cpp, each registered with CTest by its own name (tests/registered_test.h).
# WIDGETS: they make widgets, without a screen unless their properties say otherwise.
function(cospadi_add_tests program)
    cmake_parse_arguments(ARG "WIDGETS" "" "TESTS;DEPENDS;SOURCES" ${ARGN})
    set(sources "${CMAKE_SOURCE_DIR}/tests/test_program.cpp" ${ARG_SOURCES})
    foreach(test ${ARG_TESTS})
        if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${test}.cpp")
            list(APPEND sources ${test}.cpp)
        endif()
    endforeach()
    add_executable(${program} ${sources})
    target_link_libraries(${program} PRIVATE ${ARG_DEPENDS})
    cospadi_compile_tests(${program})
    cospadi_in_units(${program})
    # An edit of a test compiles its unit again.
    set_target_properties(${program} PROPERTIES UNITY_BUILD_BATCH_SIZE 30)
    if(ARG_WIDGETS)
        target_compile_definitions(${program} PRIVATE COSPADI_TEST_WIDGETS)
    endif()
    foreach(test ${ARG_TESTS})
        add_test(NAME ${test} COMMAND ${program} ${test})
        if(ARG_WIDGETS)
            set_tests_properties(${test} PROPERTIES ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
        endif()
    endforeach()
endfunction()
