#include "core/tensors/safetensors_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

void check(const fs::path& path, const std::vector<TensorToWrite>& tensors) {
    std::set<std::string> names;
    for (const TensorToWrite& tensor : tensors) {
        const std::string where = path.string() + ", tensor " + tensor.name;
        std::int64_t bytes = blockBytes(tensor.dtype);
        for (const std::int64_t extent : tensor.shape) {
            bytes = checkedProduct(bytes, extent, where);
        }
        if (blockElements(tensor.dtype) != 1 || tensor.name == "__metadata__" ||
            static_cast<std::size_t>(bytes) != tensor.bytes.size() ||
            !names.insert(tensor.name).second) {
            throw Error("cannot be stored: its name, type or size is wrong", where,
                        "this is a bug; please report it");
        }
    }
}

}  // namespace

std::int64_t writeSafetensors(const fs::path& path, const std::vector<TensorToWrite>& tensors,
                              const std::map<std::string, std::string>& metadata) {
    check(path, tensors);
    std::vector<const TensorToWrite*> order;
    for (const TensorToWrite& tensor : tensors) {
        order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(), [](const TensorToWrite* a, const TensorToWrite* b) {
        const std::int64_t sizeA = blockBytes(a->dtype);
        const std::int64_t sizeB = blockBytes(b->dtype);
        return sizeA != sizeB ? sizeA > sizeB : a->name < b->name;
    });

    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!metadata.empty()) {
        json["__metadata__"] = metadata;
    }
    std::size_t offset = 0;
    for (const TensorToWrite* tensor : order) {
        json[tensor->name] = {{"dtype", dtypeName(tensor->dtype)},
                              {"shape", tensor->shape},
                              {"data_offsets", {offset, offset + tensor->bytes.size()}}};
        offset += tensor->bytes.size();
    }
    std::string header = json.dump();
    header.append((8 - header.size() % 8) % 8, ' ');
    const std::uint64_t length = header.size();

    AtomicFile file(path);
    file.write(std::as_bytes(std::span(&length, 1)));
    file.write(std::as_bytes(std::span(header)));
    for (const TensorToWrite* tensor : order) {
        file.write(tensor->bytes);
    }
    file.commit();
    return static_cast<std::int64_t>(sizeof length + header.size() + offset);
}

}  // namespace cospadi
