# Run by cpack over the files of a package before they are put together: what Debian wants beside them,
# under the package's own name. The date is that of the release in the metainfo, so that the same sources
# make the same package.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()
set(folder "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/${CPACK_PACKAGE_NAME}")
file(MAKE_DIRECTORY "${folder}")
configure_file("${CPACK_COSPADI_SOURCES}/packaging/deb/copyright" "${folder}/copyright" COPYONLY)
file(READ "${CPACK_COSPADI_SOURCES}/packaging/org.cospadi.Workbench.metainfo.xml.in" metainfo)
if(NOT metainfo MATCHES "<release [^>]*date=\"([0-9-]+)\"")
    message(FATAL_ERROR "packaging/org.cospadi.Workbench.metainfo.xml.in names no release with a date")
endif()
execute_process(COMMAND date --utc --rfc-email --date "${CMAKE_MATCH_1}" OUTPUT_VARIABLE date
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY ENCODING UTF-8)
file(WRITE "${folder}/changelog.Debian"
     "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
     "  * Version ${CPACK_PACKAGE_VERSION}; changelog.gz says what is new.\n\n"
     " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
configure_file("${CPACK_COSPADI_SOURCES}/CHANGELOG.md" "${folder}/changelog" COPYONLY)
execute_process(COMMAND gzip --force --no-name --best "${folder}/changelog.Debian" "${folder}/changelog"
                COMMAND_ERROR_IS_FATAL ANY)
