# Packages of an installed tree: `cpack -G DEB` or `cpack -G RPM` in a release build folder.
set(CPACK_PACKAGE_NAME cudaenv)
set(CPACK_PACKAGE_VENDOR "cudaenv developers")
set(CPACK_PACKAGE_CONTACT "cudaenv developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
  "Downloads, verifies and installs CUDA toolkits side by side, and chooses between them.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The source `wheels` asks pip; nvcc needs a host compiler.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, g++, python3-pip")

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_GROUP Development/Tools)
# Folders that the distribution owns.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1 /usr/libexec)

include(CPack)
