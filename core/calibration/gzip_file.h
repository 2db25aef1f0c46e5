// Files compressed by gzip, as texts ship and as others hand them on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

struct gzFile_s;  // zlib's

namespace cospadi {

struct CloseGzip {
    void operator()(gzFile_s* file) const;
};
using OpenGzip = std::unique_ptr<gzFile_s, CloseGzip>;

// To be read by zlib, which takes what is not compressed as it is. Null where it cannot be opened,
// or is a folder.
OpenGzip openGzip(const std::filesystem::path& path);

// The content, unpacked. Throws Error naming the file where it cannot be opened, is no gzip file,
// is damaged or ends early, or holds more than 2 GiB.
std::string readGzipFile(const std::filesystem::path& path);

}  // namespace cospadi
