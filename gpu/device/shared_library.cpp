#include "gpu/device/shared_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace cospadi {

namespace {

std::vector<std::filesystem::path> placesOf(const std::filesystem::path& name) {
    if (name.is_absolute()) {
        return {name};
    }
    std::error_code failed;
    std::vector<std::filesystem::path> places = {
        name, std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / name};
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
        if (const char* toolkit = std::getenv(variable)) {
            places.push_back(std::filesystem::path(toolkit) / "lib64" / name);
        }
    }
    for (const char* folder : {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
                               "/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu"}) {
        places.push_back(folder / name);
    }
    return places;
}

std::string lastWords() {
    const char* said = ::dlerror();
    return said != nullptr ? said : "";
}

// The loader begins with the name of the file that it could not open: the library itself, or one
// that the library needs. The rest of its words is in the user's language.
bool isThere(const SharedLibrary::Failure& failure) {
    std::error_code failed;
    return !failure.said.starts_with(failure.place + ":") ||
           (std::filesystem::path(failure.place).is_absolute() &&
            std::filesystem::exists(failure.place, failed));
}

std::string inWords(const SharedLibrary::Failure& failure) {
    return failure.said.starts_with(failure.place) ? failure.said
                                                   : failure.place + ": " + failure.said;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::string& name) {
    for (const std::filesystem::path& place : placesOf(name)) {
        m_handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (m_handle != nullptr) {
            return;
        }
        m_failures.push_back({place.string(), lastWords()});
    }
}

std::string SharedLibrary::problem() const {
    if (m_handle != nullptr) {
        return m_missingSymbol;
    }
    // Where it lies and cannot be loaded tells more than where it does not lie.
    const auto found = std::find_if(m_failures.begin(), m_failures.end(), isThere);
    return inWords(found != m_failures.end() ? *found : m_failures.front());
}

void* SharedLibrary::addressOf(const char* symbol) {
    void* address = m_handle == nullptr ? nullptr : ::dlsym(m_handle, symbol);
    if (address == nullptr && m_handle != nullptr && m_missingSymbol.empty()) {
        m_missingSymbol = lastWords();
    }
    return address;
}

}  // namespace cospadi
