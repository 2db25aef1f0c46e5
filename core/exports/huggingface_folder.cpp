#include "core/exports/huggingface_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/temporary_folder.h"
#include "core/exports/model_card.h"
#include "core/exports/model_side_files.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/mapped_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kModellingFile = "modeling_cospadi.py";
constexpr const char* kFactorsFile = "factors.safetensors";
constexpr const char* kDenseFile = "dense.safetensors";

std::string torchName(DType dtype) {
    return dtype == DType::BF16 ? "bfloat16" : dtype == DType::F16 ? "float16" : "float32";
}

std::string wordOf(DType dtype) {
    return dtype == DType::BF16  ? "bf16"
           : dtype == DType::F16 ? "f16"
           : dtype == DType::F32 ? "f32"
                                 : std::string(dtypeName(dtype));
}

void writeConfig(const HuggingFaceFolder& content, const fs::path& folder,
                 const std::string& torchDtype) {
    nlohmann::json config = huggingFaceConfig(content.model.source(), torchDtype);
    if (content.factors != nullptr) {
        nameFactoredModel(config);
        config["cospadi"] = content.factors->description;
    }
    writeFileAtomically(folder / "config.json", config.dump(2) + "\n");
}

void writeFactored(const HuggingFaceFolder& content, const fs::path& folder) {
    // All that comes in float32 or narrower fits the widest type of the dense tensors.
    DType widest = content.tensors.front().dtype;
    for (const TensorToStream& tensor : content.tensors) {
        widest = tensor.dtype == widest ? widest : DType::F32;
    }
    writeConfig(content, folder, torchName(widest));
    streamSafetensors(folder / kFactorsFile, content.factors->tensors, {{"format", "pt"}});
    streamSafetensors(folder / kDenseFile, content.tensors, {{"format", "pt"}});
    nlohmann::json map = nlohmann::json::object();
    for (const TensorToStream& tensor : content.factors->tensors) {
        map[tensor.name] = kFactorsFile;
    }
    for (const TensorToStream& tensor : content.tensors) {
        map[tensor.name] = kDenseFile;
    }
    const nlohmann::json index{{"metadata", {{"total_size", content.bytes}}}, {"weight_map", map}};
    writeFileAtomically(folder / "model.safetensors.index.json", index.dump(1) + "\n");
    const auto code = MappedFile::open(resourcePath(std::string("transformers/") + kModellingFile));
    writeFileAtomically(folder / kModellingFile, code->bytes());
}

ModelCardSubject subjectOf(const HuggingFaceFolder& content) {
    ModelCardSubject subject;
    subject.source = &content.model.source();
    subject.run = content.model.run();
    subject.factored = content.factors != nullptr;
    subject.factorBytes = content.factors != nullptr ? content.factors->bytes : 0;
    subject.denseBytes = content.bytes - subject.factorBytes;
    std::set<std::string> types;
    for (const TensorToStream& tensor : content.tensors) {
        types.insert(wordOf(tensor.dtype));
    }
    subject.denseType = fmt::format("{}", fmt::join(types, " and "));
    return subject;
}

}  // namespace

std::int64_t writeHuggingFaceFolder(const fs::path& target, const HuggingFaceFolder& content) {
    try {
        const TemporaryFolder temporary = TemporaryFolder::beside(target);
        const fs::path& folder = temporary.path();
        writeSideFiles(content.model.source(), folder);
        if (content.factors != nullptr) {
            writeFactored(content, folder);
        } else {
            writeConfig(content, folder, torchName(content.dtype));
            streamSafetensors(folder / "model.safetensors", content.tensors, {{"format", "pt"}});
        }
        writeFileAtomically(folder / "README.md", modelCard(subjectOf(content)));
        std::int64_t bytes = 0;
        for (const auto& entry : fs::directory_iterator(folder)) {
            bytes += static_cast<std::int64_t>(entry.file_size());
        }
        std::error_code ignored;
        fs::remove(target, ignored);  // an empty folder of that name
        fs::rename(folder, target);
        return bytes;
    } catch (const fs::filesystem_error& error) {
        throw Error("cannot be written: " + error.code().message(), target.string(),
                    "check the folder and its permissions");
    }
}

}  // namespace cospadi
