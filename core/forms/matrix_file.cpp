#include "core/forms/matrix_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/program_revision.h"
#include "core/forms/forms.h"
#include "core/forms/matrix_tensors.h"

namespace cospadi {

void writeMatrixFile(const std::filesystem::path& path, const StoredWeight& weight,
                     MatrixRecord& record) {
    describe(record, weight);
    MatrixTensors tensors(record.name);
    weight.write(tensors);
    std::map<std::string, std::string> metadata = tensors.metadata();
    metadata.insert({{"form", record.form},
                     {"layer", record.name},
                     {"d1", std::to_string(record.d1)},
                     {"d2", std::to_string(record.d2)},
                     {"k", std::to_string(record.k)},
                     {"s", std::to_string(record.s)},
                     {"rank", std::to_string(record.rank)},
                     {"revision", programRevision()},
                     {"result", toJson(record).dump()}});
    record.bytes = writeSafetensors(path, tensors.tensors(), metadata);
}

StoredMatrix readMatrixFile(const std::filesystem::path& path) {
    const StoredTensors file(path);
    const Form* form = findForm(file.form());
    if (form == nullptr) {
        file.reject(fmt::format("form '{}' is unknown", file.form()));
    }
    StoredMatrix stored;
    stored.weight = form->read(file);
    stored.record = file.record();
    describe(stored.record, *stored.weight);
    return stored;
}

}  // namespace cospadi
