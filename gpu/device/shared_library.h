// A library that is looked for while the program runs, so that the program starts without it.
#pragma once

#include <string>
#include <vector>

namespace cospadi {

// Once loaded it stays: there is no dlclose. Drivers and CUDA start threads and register what is to
// be done at exit, and other statics may hold handles of theirs that are destroyed later.
class SharedLibrary {
  public:
    // A place that did not give the library, and what the loader said there.
    struct Failure {
        std::string place;
        std::string said;
    };

    // name as the loader knows it, e.g. "libcublas.so.13", or a path. A name is looked for where
    // the loader looks, beside the program, and where CUDA is usually installed.
    explicit SharedLibrary(const std::string& name);

    explicit operator bool() const { return m_handle != nullptr; }

    // Of the places before the one where it was found; of all of them where it was found nowhere.
    const std::vector<Failure>& failures() const { return m_failures; }
    // Why it cannot be used: what it lacks, a symbol or a library of its own, or that it is
    // nowhere. Empty where nothing is wrong.
    std::string problem() const;

    // False, and function unchanged, where the library has no such symbol.
    template <typename Function>
    bool find(const char* symbol, Function*& function) {
        void* address = addressOf(symbol);
        if (address != nullptr) {
            function = reinterpret_cast<Function*>(address);
        }
        return address != nullptr;
    }

  private:
    void* addressOf(const char* symbol);

    void* m_handle = nullptr;
    std::vector<Failure> m_failures;
    std::string m_missingSymbol;  // the loader's words about the first that was not found
};

}  // namespace cospadi
