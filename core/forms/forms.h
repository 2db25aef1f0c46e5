// The forms that a layer's weight can be stored in. A new one is a folder beside low_rank/ with a
// class of StoredWeight, and a line in forms.cpp.
#pragma once

#include <string>
#include <vector>

#include "core/base/phrase.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

class StoredTensors;

struct Form {
    const char* name;                                    // in the metadata of matrix files
    StoredWeightPtr (*read)(const StoredTensors& file);  // throws Error for what it cannot be
    // Facts of it in a line: "k = 526, s = 263, 14-bit values".
    Phrase (*describe)(const nlohmann::json& facts);
    // The fact that tells the bits of a coefficient, of codes or of a right factor; null for a form
    // without: StoredWeight::requantized() and withFactors() refuse it.
    const char* coefficientBits = nullptr;
    // Whether nothing is stored of the layer: its file, a head alone, counts no bytes.
    bool isRemoved = false;
    // Whether the modelling file of factored exports makes layers of it.
    bool isFactored = true;
};

const std::vector<Form>& forms();
const Form* findForm(const std::string& name);  // null where there is none
bool isRemoved(const std::string& form);        // of an unknown one: no

}  // namespace cospadi
