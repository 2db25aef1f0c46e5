#include "core/store/row_fields.h"

namespace cospadi {

nlohmann::json listField(const nlohmann::json& object, const char* field) {
    const auto entry = object.find(field);
    if (entry == object.end() || entry->is_null()) {
        return nlohmann::json::array();
    }
    if (!entry->is_array()) {
        throw Error(std::string("the field \"") + field + "\" is not a list", "",
                    "the file is damaged or was written by another program");
    }
    return *entry;
}

MatrixRow matrixRowOf(const nlohmann::json& object) {
    MatrixRow row;
    takeField(object, "name", row.name);
    takeField(object, "matrix", row.name);  // what events call it
    takeField(object, "kind", row.kind);
    takeField(object, "block", row.block);
    takeField(object, "d1", row.d1);
    takeField(object, "d2", row.d2);
    takeField(object, "form", row.form);
    if (const auto facts = object.find("facts"); facts != object.end() && facts->is_object()) {
        row.facts = facts->dump();
    }
    takeField(object, "k", row.k);
    takeField(object, "s", row.s);
    takeField(object, "rank", row.rank);
    takeField(object, "bytes", row.bytes);
    takeField(object, "dense_bytes", row.denseBytes);
    takeField(object, "relative_error", row.relativeError);
    takeField(object, "held_out_error", row.heldOutError);
    takeField(object, "gram_shift", row.gramShift);
    takeField(object, "replaced_atoms", row.replacedAtoms);
    takeField(object, "iterations", row.iterations);
    takeField(object, "seconds", row.seconds);
    takeField(object, "core_seconds", row.coreSeconds);
    takeField(object, "coding_seconds", row.codingSeconds);
    takeField(object, "dictionary_seconds", row.dictionarySeconds);
    takeField(object, "active_atoms", row.activeAtoms);
    takeField(object, "multiplications", row.multiplications);
    takeField(object, "source_type", row.sourceType);
    takeField(object, "source_bytes", row.sourceBytes);
    return row;
}

}  // namespace cospadi
