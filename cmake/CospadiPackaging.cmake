# Install rules, the Debian package, and checks of the desktop files. Included last by the root.
include(GNUInstallDirs)

# cospadi_describe(PROGRAM): its manual page and its completion by bash, zsh and fish, which the program
# itself prints when it is built, and where systems look for them. Debian's zsh has a place of its own.
set(COSPADI_ZSH_COMPLETIONS zsh/site-functions)
if(EXISTS /etc/debian_version)
    set(COSPADI_ZSH_COMPLETIONS zsh/vendor-completions)
endif()
set(COSPADI_ZSH_COMPLETIONS "${COSPADI_ZSH_COMPLETIONS}" CACHE STRING "Below the data directory")
find_program(COSPADI_GZIP gzip REQUIRED)
function(cospadi_describe program)
    set(asked manual completion)
    if(program STREQUAL cospadi-workbench)  # a window has options and no commands
        set(asked --manual --completion)
    endif()
    list(GET asked 0 manual)
    list(GET asked 1 completion)
    set(folder "${CMAKE_BINARY_DIR}/descriptions")
    file(MAKE_DIRECTORY "${folder}")
    set(page "${folder}/${program}.1")
    # Without a screen; and under a sanitizer what libraries of the window leak fails no build.
    set(run "${CMAKE_COMMAND}" -E env QT_QPA_PLATFORM=offscreen ASAN_OPTIONS=detect_leaks=0
            $<TARGET_FILE:${program}>)
    set(commands COMMAND ${run} ${manual} > "${page}"
                 COMMAND "${COSPADI_GZIP}" --force --keep --no-name --best "${page}")
    foreach(shell bash zsh fish)
        list(APPEND commands COMMAND ${run} ${completion} ${shell} > "${folder}/${program}.${shell}")
    endforeach()
    add_custom_command(OUTPUT "${page}.gz" "${page}" "${folder}/${program}.bash" "${folder}/${program}.zsh"
                              "${folder}/${program}.fish"
                       ${commands} DEPENDS ${program} VERBATIM
                       COMMENT "Describing ${program}")
    add_custom_target(${program}-description ALL DEPENDS "${page}.gz")
    install(FILES "${page}.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${folder}/${program}.bash" RENAME "${program}"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${folder}/${program}.zsh" RENAME "_${program}"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/${COSPADI_ZSH_COMPLETIONS}")
    install(FILES "${folder}/${program}.fish"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endfunction()

foreach(program cospadi cospadi-workbench)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
        cospadi_describe(${program})
    endif()
endforeach()
# core/base/resources.h finds these beside the program.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/resources/texts" "${CMAKE_SOURCE_DIR}/resources/bench"
                  "${CMAKE_SOURCE_DIR}/resources/tasks" "${CMAKE_SOURCE_DIR}/resources/lm_eval"
                  "${CMAKE_SOURCE_DIR}/resources/published" "${CMAKE_SOURCE_DIR}/resources/reproduce"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/cospadi")
# How the default model is fetched where there is no checkout (core/model/model_locator.h).
install(PROGRAMS packaging/fetch_model.sh DESTINATION "${CMAKE_INSTALL_DATADIR}/cospadi")
install(FILES packaging/steps.sh DESTINATION "${CMAKE_INSTALL_DATADIR}/cospadi")
# In the sources a link, so that the Python package and the program have one file.
install(FILES "${CMAKE_SOURCE_DIR}/python/src/cospadi_transformers/modeling_cospadi.py"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/cospadi/transformers")
# As in the sources, so that links between pages lead somewhere.
install(FILES LICENSE LICENSING.md README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md"
        PATTERN images EXCLUDE PATTERN measured EXCLUDE)

# cospadi_metainfo(HOMEPAGE FILE): what software catalogues show of the window. Pictures can only be named by
# an address, that of docs/images as the site of docs/ has them (mkdocs.yml): without one there are none.
function(cospadi_metainfo homepage file)
    set(COSPADI_METAINFO_PLACES "")
    if(homepage)
        string(APPEND COSPADI_METAINFO_PLACES "  <url type=\"homepage\">${homepage}</url>\n  <screenshots>\n")
        set(type " type=\"default\"")
        foreach(page "plan=A plan of layers, methods and ratios" "monitor=The error of every iteration"
                     "runs=All runs, their sizes and perplexities" "tables=A table for a paper")
            string(REGEX MATCH "^([a-z]+)=(.*)$" page "${page}")
            string(APPEND COSPADI_METAINFO_PLACES
                   "    <screenshot${type}>\n      <caption>${CMAKE_MATCH_2}</caption>\n"
                   "      <image type=\"source\">${homepage}/images/${CMAKE_MATCH_1}-light.png</image>\n"
                   "    </screenshot>\n")
            set(type "")
        endforeach()
        string(APPEND COSPADI_METAINFO_PLACES "  </screenshots>\n")
    endif()
    configure_file("${CMAKE_SOURCE_DIR}/packaging/org.cospadi.Workbench.metainfo.xml.in" "${file}" @ONLY)
endfunction()

set(COSPADI_HOMEPAGE "" CACHE STRING "Address of the site of docs/, without a slash at its end")
if(TARGET cospadi-workbench)
    set(application org.cospadi.Workbench)
    cospadi_metainfo("${COSPADI_HOMEPAGE}" "${CMAKE_BINARY_DIR}/${application}.metainfo.xml")
    install(FILES LICENSE.GPL-3 DESTINATION "${CMAKE_INSTALL_DOCDIR}")
    install(FILES "packaging/${application}.desktop"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
    install(FILES "${CMAKE_BINARY_DIR}/${application}.metainfo.xml"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo")
    install(FILES "resources/ui/icons/cospadi-workbench.svg"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
endif()

if(COSPADI_BUILD_TESTS)
    find_program(DESKTOP_FILE_VALIDATE desktop-file-validate)
    if(DESKTOP_FILE_VALIDATE)
        add_test(NAME desktop_file COMMAND "${DESKTOP_FILE_VALIDATE}" --warn-kde
                 "${CMAKE_SOURCE_DIR}/packaging/org.cospadi.Workbench.desktop")
    endif()
    find_program(APPSTREAMCLI appstreamcli)
    if(APPSTREAMCLI)
        # From 1.0 on a missing homepage is a warning, and a warning fails; there is none yet.
        execute_process(COMMAND "${APPSTREAMCLI}" --version OUTPUT_VARIABLE version)
        if(version MATCHES "([0-9]+\\.[0-9]+)" AND CMAKE_MATCH_1 VERSION_GREATER_EQUAL 1.0)
            set(no_homepage --override=url-homepage-missing=info)
        endif()
        cospadi_metainfo("" "${CMAKE_BINARY_DIR}/checked/plain/org.cospadi.Workbench.metainfo.xml")
        cospadi_metainfo("https://workbench.example/docs"
                         "${CMAKE_BINARY_DIR}/checked/pictures/org.cospadi.Workbench.metainfo.xml")
        add_test(NAME appstream_metainfo COMMAND "${APPSTREAMCLI}" validate --no-net ${no_homepage}
                 "${CMAKE_BINARY_DIR}/checked/plain/org.cospadi.Workbench.metainfo.xml"
                 "${CMAKE_BINARY_DIR}/checked/pictures/org.cospadi.Workbench.metainfo.xml")
    endif()
endif()

include("${CMAKE_SOURCE_DIR}/packaging/CPackConfig.cmake")
include(CPack)
