// A library that is looked for while the program runs, so that the program starts without it.
#pragma once

#include <string>

namespace cospadi {

class SharedLibrary {
  public:
    // name as the loader knows it, e.g. "libcublas.so.13". Looked for where the loader looks,
    // beside the program, and in lib64 of CUDA_PATH and of the toolkit's usual place.
    explicit SharedLibrary(const std::string& name);
    ~SharedLibrary();
    SharedLibrary(const SharedLibrary&) = delete;
    SharedLibrary& operator=(const SharedLibrary&) = delete;

    explicit operator bool() const { return m_handle != nullptr; }

    // False, and function unchanged, where the library has no such symbol.
    template <typename Function>
    bool find(const char* symbol, Function*& function) const {
        void* address = addressOf(symbol);
        if (address != nullptr) {
            function = reinterpret_cast<Function*>(address);
        }
        return address != nullptr;
    }

  private:
    void* addressOf(const char* symbol) const;

    void* m_handle = nullptr;
};

}  // namespace cospadi
