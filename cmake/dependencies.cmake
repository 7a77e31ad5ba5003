# Everything comes from the distribution's packages; nothing is downloaded.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt 8 REQUIRED)
find_package(CURL 7.80 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(LibArchive 3.5 REQUIRED)
find_package(LibLZMA 5.2 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# Debian's toml++ has a pkg-config file and no CMake package in all versions.
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)

# ISA-L inflates about twice as fast as zlib; without it libarchive reads wheels.
pkg_check_modules(isal IMPORTED_TARGET libisal)

if(CUDAENV_BUILD_TESTS)
  find_package(doctest 2.4 REQUIRED)
endif()
