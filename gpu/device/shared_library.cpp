#include "gpu/device/shared_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace cospadi {

SharedLibrary::SharedLibrary(const std::string& name) {
    std::vector<std::filesystem::path> places = {name};
    std::error_code failed;
    places.push_back(std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / name);
    if (const char* toolkit = std::getenv("CUDA_PATH")) {
        places.push_back(std::filesystem::path(toolkit) / "lib64" / name);
    }
    places.push_back(std::filesystem::path("/usr/local/cuda/lib64") / name);
    for (const auto& place : places) {
        m_handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (m_handle != nullptr) {
            return;
        }
    }
}

SharedLibrary::~SharedLibrary() {
    if (m_handle != nullptr) {
        ::dlclose(m_handle);
    }
}

void* SharedLibrary::addressOf(const char* symbol) const {
    return m_handle == nullptr ? nullptr : ::dlsym(m_handle, symbol);
}

}  // namespace cospadi
