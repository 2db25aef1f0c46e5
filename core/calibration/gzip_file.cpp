#include "core/calibration/gzip_file.h"

#include <zlib.h>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 30U;
constexpr unsigned kStep = 1U << 20U;

}  // namespace

void CloseGzip::operator()(gzFile_s* file) const { gzclose_r(file); }

OpenGzip openGzip(const std::filesystem::path& path) {
    return OpenGzip(std::filesystem::is_directory(path) ? nullptr : gzopen(path.c_str(), "rb"));
}

std::string readGzipFile(const std::filesystem::path& path) {
    const OpenGzip file = openGzip(path);
    if (!file) {
        throw Error("cannot be opened", path.string(), "give a file written by gzip");
    }
    std::string content;
    int count = 0;
    do {
        const std::size_t end = content.size();
        content.resize(end + kStep);
        count = gzread(file.get(), content.data() + end, kStep);
        content.resize(end + static_cast<std::size_t>(count > 0 ? count : 0));
        if (content.size() > kMostBytes) {
            throw Error("contains more than 2 GiB", path.string(), "use a part of it");
        }
    } while (count > 0);
    int state = Z_OK;
    gzerror(file.get(), &state);  // also of an end in the middle, where the last read was content
    if (count < 0 || state != Z_OK) {
        throw Error("is damaged or truncated", path.string(),
                    "download it again; gzip -t tests it");
    }
    if (gzdirect(file.get()) != 0) {
        throw Error("is not compressed with gzip", path.string(), "remove .gz from its name");
    }
    return content;
}

}  // namespace cospadi
