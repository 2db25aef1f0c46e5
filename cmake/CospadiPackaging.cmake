# Install rules, the Debian package, and checks of the desktop files. Included last by the root.
include(GNUInstallDirs)

foreach(program cospadi cospadi-workbench)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    endif()
endforeach()
# core/base/resources.h finds these beside the program.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/resources/texts" "${CMAKE_SOURCE_DIR}/resources/bench"
                  "${CMAKE_SOURCE_DIR}/resources/tasks" "${CMAKE_SOURCE_DIR}/resources/lm_eval"
                  "${CMAKE_SOURCE_DIR}/resources/published" "${CMAKE_SOURCE_DIR}/resources/reproduce"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/cospadi")
# In the sources a link, so that the Python package and the program have one file.
install(FILES "${CMAKE_SOURCE_DIR}/python/src/cospadi_transformers/modeling_cospadi.py"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/cospadi/transformers")
install(FILES LICENSE LICENSING.md README.md docs/formats.md docs/cli.md
        docs/serving.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

if(TARGET cospadi-workbench)
    set(application org.cospadi.Workbench)
    install(FILES LICENSE.GPL-3 DESTINATION "${CMAKE_INSTALL_DOCDIR}")
    install(FILES "packaging/${application}.desktop"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
    install(FILES "packaging/${application}.metainfo.xml"
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
        add_test(NAME appstream_metainfo COMMAND "${APPSTREAMCLI}" validate --no-net ${no_homepage}
                 "${CMAKE_SOURCE_DIR}/packaging/org.cospadi.Workbench.metainfo.xml")
    endif()
endif()

include("${CMAKE_SOURCE_DIR}/packaging/CPackConfig.cmake")
include(CPack)
