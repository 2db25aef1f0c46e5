// Matrix files with one thing changed, under sizes that stay right: for tests of what readers
// refuse.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/tensors/safetensors.h"

namespace cospadi::forged {

inline std::string contentOf(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A copy with the first piece of text `from` replaced by another as long; an empty path where it is
// not there.
inline std::filesystem::path replaced(const std::filesystem::path& whole,
                                      const std::filesystem::path& place, const std::string& from,
                                      const std::string& to) {
    std::string content = contentOf(whole);
    const std::size_t at = content.find(from);
    if (at == std::string::npos || from.size() != to.size()) {
        return {};
    }
    content.replace(at, from.size(), to);
    std::ofstream(place, std::ios::binary) << content;
    return place;
}

// A copy whose tensor begins with `count` times that byte.
inline std::filesystem::path withFirstBytes(const std::filesystem::path& whole,
                                            const std::filesystem::path& place,
                                            const std::string& tensor, char byte,
                                            std::size_t count) {
    std::string content = contentOf(whole);
    const SafetensorsFile file = SafetensorsFile::open(whole);
    const TensorView& view = file.require(tensor);
    const std::string bytes(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
    content.replace(content.rfind(bytes), count, std::string(count, byte));
    std::ofstream(place, std::ios::binary) << content;
    return place;
}

}  // namespace cospadi::forged
