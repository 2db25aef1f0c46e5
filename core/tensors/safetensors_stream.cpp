#include "core/tensors/safetensors_stream.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kBug = "this is a bug; please report it";

}  // namespace

std::int64_t tensorBytes(DType dtype, const std::vector<std::int64_t>& shape,
                         const std::string& where) {
    std::int64_t bytes = blockBytes(dtype);
    for (const std::int64_t extent : shape) {
        bytes = checkedProduct(bytes, extent, where);
    }
    return bytes / blockElements(dtype);
}

std::int64_t streamSafetensors(const fs::path& path, const std::vector<TensorToStream>& tensors,
                               const std::map<std::string, std::string>& metadata) {
    std::set<std::string> names;
    std::vector<const TensorToStream*> order;
    for (const TensorToStream& tensor : tensors) {
        if (blockElements(tensor.dtype) != 1 || tensor.name == "__metadata__" ||
            !names.insert(tensor.name).second) {
            throw Error("cannot be stored: its name or type is wrong",
                        path.string() + ", tensor " + tensor.name, kBug);
        }
        order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(), [](const TensorToStream* a, const TensorToStream* b) {
        const std::int64_t sizeA = blockBytes(a->dtype);
        const std::int64_t sizeB = blockBytes(b->dtype);
        return sizeA != sizeB ? sizeA > sizeB : a->name < b->name;
    });

    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!metadata.empty()) {
        json["__metadata__"] = metadata;
    }
    std::int64_t offset = 0;
    for (const TensorToStream* tensor : order) {
        const std::int64_t end = offset + tensorBytes(tensor->dtype, tensor->shape, path.string());
        json[tensor->name] = {{"dtype", dtypeName(tensor->dtype)},
                              {"shape", tensor->shape},
                              {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string header = json.dump();
    header.append((8 - header.size() % 8) % 8, ' ');
    const std::uint64_t length = header.size();

    AtomicFile file(path);
    file.write(std::as_bytes(std::span(&length, 1)));
    file.write(std::as_bytes(std::span(header)));
    for (const TensorToStream* tensor : order) {
        std::int64_t left = tensorBytes(tensor->dtype, tensor->shape, path.string());
        tensor->produce([&](std::span<const std::byte> bytes) {
            left -= static_cast<std::int64_t>(bytes.size());
            file.write(bytes);
        });
        if (left != 0) {
            throw Error("its size does not fit its shape",
                        path.string() + ", tensor " + tensor->name, kBug);
        }
    }
    file.commit();
    return static_cast<std::int64_t>(sizeof length + header.size()) + offset;
}

}  // namespace cospadi
