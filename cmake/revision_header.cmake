# A script: HEADER from the git revision of SOURCES, 12 digits of its hash, with -dirty where tracked
# files have been changed since; empty where they are no repository. A header that says so already is
# left alone, so that nothing is compiled again.

# Without the lock that refreshing the index takes: the user may be committing.
execute_process(
    COMMAND git --no-optional-locks describe --always --abbrev=12 --exclude=* --dirty
    WORKING_DIRECTORY "${SOURCES}"
    OUTPUT_VARIABLE COSPADI_REVISION
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file("${CMAKE_CURRENT_LIST_DIR}/../core/base/revision.h.in" "${HEADER}" @ONLY)
