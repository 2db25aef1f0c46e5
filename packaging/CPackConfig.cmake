# What `cpack` makes of the install rules: a Debian package. Included by cmake/CospadiPackaging.cmake.
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME "cospadi-workbench")
set(CPACK_PACKAGE_VENDOR "CoSpaDi Workbench")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compress language models with sparse dictionaries")
set(CPACK_PACKAGE_DESCRIPTION
    "Compresses every linear layer of a language model to a dictionary times
sparse codes, fitted to calibration text. Contains the command line program
cospadi and the graphical workbench.")
set(CPACK_PACKAGE_CONTACT "CoSpaDi Workbench developers <workbench@cospadi.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_COSPADI_CUDA_OF_THIS_MACHINE ${COSPADI_CUDA_OF_THIS_MACHINE})
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_SOURCE_DIR}/packaging/CPackTools.cmake")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_COSPADI_SOURCES "${CMAKE_SOURCE_DIR}")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/packaging/deb/documents.cmake")
set(CPACK_DEBIAN_PACKAGE_SECTION "science")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Qt's own texts in the window's languages: on buttons of dialogs, in choosers of files.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-translations-l10n")
# pip fetches the default model where it is missing; lm-eval gets an environment of its own.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-pip, python3-venv")
