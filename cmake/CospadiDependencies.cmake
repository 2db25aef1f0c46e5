# Every library the project uses, found once. Debian names stand in packaging/packages.sh.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
find_library(LAPACKE_LIBRARY lapacke REQUIRED)
find_path(LAPACKE_INCLUDE_DIR lapacke.h REQUIRED)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3)
find_package(SQLiteCpp REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
pkg_check_modules(YAMLCPP REQUIRED IMPORTED_TARGET yaml-cpp)

if(COSPADI_BUILD_UI OR COSPADI_BUILD_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)
endif()
if(COSPADI_BUILD_UI)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Gui Widgets Charts Svg DBus Network)
    # Alone, without the package of Qt's tools for developers, which brings its CMake functions.
    find_program(COSPADI_LRELEASE lrelease HINTS "${QT6_INSTALL_PREFIX}/${QT6_INSTALL_BINS}"
                 REQUIRED DOC "Qt's compiler of translations")
endif()

if(TARGET Qt6::moc)
    get_target_property(COSPADI_MOC Qt6::moc IMPORTED_LOCATION)
    set(COSPADI_MOC_ALONE "${CMAKE_BINARY_DIR}/moc_alone.sh")
    configure_file("${CMAKE_CURRENT_LIST_DIR}/moc_alone.sh.in" "${COSPADI_MOC_ALONE}" @ONLY
                   USE_SOURCE_PERMISSIONS)
endif()
