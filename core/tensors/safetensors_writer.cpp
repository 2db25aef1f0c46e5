#include "core/tensors/safetensors_writer.h"

#include "core/tensors/safetensors_stream.h"

namespace cospadi {

std::int64_t writeSafetensors(const std::filesystem::path& path,
                              const std::vector<TensorToWrite>& tensors,
                              const std::map<std::string, std::string>& metadata) {
    std::vector<TensorToStream> streamed;
    for (const TensorToWrite& tensor : tensors) {
        streamed.push_back({tensor.name, tensor.dtype, tensor.shape,
                            [&tensor](const ByteSink& sink) { sink(tensor.bytes); }});
    }
    return streamSafetensors(path, streamed, metadata);
}

}  // namespace cospadi
