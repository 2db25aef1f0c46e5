#include "core/forms/matrix_file.h"

#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "core/base/program_revision.h"
#include "core/forms/forms.h"
#include "core/forms/matrix_tensors.h"

namespace cospadi {

namespace {

void writeLayer(const std::filesystem::path& path, const MatrixTensors& tensors,
                MatrixRecord& record) {
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
    const std::int64_t size = writeSafetensors(path, tensors.tensors(), metadata);
    record.bytes = isRemoved(record.form) ? 0 : size + record.sharedBytes;
}

// Columns of the factor that is the layer's own.
std::int64_t ownColumns(const MatrixRecord& record) {
    return record.side == DictionarySide::Output ? record.d1 : record.d2;
}

}  // namespace

void writeMatrixFile(const std::filesystem::path& path, const StoredWeight& weight,
                     MatrixRecord& record) {
    describe(record, weight);
    MatrixTensors tensors(record.name);
    weight.write(tensors);
    writeLayer(path, tensors, record);
}

void writeMatrixFiles(const std::filesystem::path& folder, const std::string& unit,
                      const std::vector<StoredWeightPtr>& weights,
                      std::vector<MatrixRecord>& records) {
    MatrixTensors common(unit);
    std::deque<MatrixTensors> own;
    nlohmann::json names = nlohmann::json::array();
    std::int64_t columns = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].unit = unit;
        describe(records[i], *weights[i]);
        weights[i]->write(own.emplace_back(records[i].name, &common));
        names.push_back(records[i].name);
        columns += ownColumns(records[i]);
    }
    const std::int64_t bytes = writeSafetensors(
        unitFile(folder, unit), common.tensors(),
        {{"unit", unit}, {"layers", names.dump()}, {"revision", programRevision()}});
    std::int64_t before = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const std::int64_t after = before + ownColumns(records[i]);
        records[i].sharedBytes = bytes * after / columns - bytes * before / columns;
        before = after;
        writeLayer(unitFile(folder, records[i].name), own[i], records[i]);
    }
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
    if (form->isRemoved) {
        stored.record.bytes = 0;
    }
    return stored;
}

}  // namespace cospadi
