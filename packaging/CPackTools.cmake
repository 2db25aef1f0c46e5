# Read by cpack before it begins with a generator: what that one needs beside CMake. Without `file`
# cpack finds no programs among the files, and without dpkg-shlibdeps the package names no libraries
# that it depends on; both would show only after everything has been installed.
if(CPACK_COSPADI_CUDA_OF_THIS_MACHINE)
    message(WARNING "This build has CUDA code for the devices of this machine only. For a package for other "
                    "machines, run `packaging/build.sh package` and cpack in build/package.")
endif()
if(CPACK_GENERATOR STREQUAL "DEB")
    set(missing)
    foreach(tool file dpkg-shlibdeps)
        find_program(COSPADI_TOOL_${tool} ${tool})
        if(NOT COSPADI_TOOL_${tool})
            list(APPEND missing ${tool})
        endif()
    endforeach()
    if(missing)
        list(JOIN missing ", " missing)
        message(FATAL_ERROR "A Debian package cannot be made without: ${missing}\n"
                            "Install them with `apt-get install file dpkg-dev`, or run "
                            "packaging/packages.sh, then start cpack again; `cpack -G TGZ` requires "
                            "neither.")
    endif()
endif()
