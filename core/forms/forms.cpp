#include "core/forms/forms.h"

#include "core/forms/dense/dense_weight.h"
#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/pruned/pruned_weight.h"
#include "core/forms/remapped/remapped_weight.h"
#include "core/forms/removed/removed_weight.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"

namespace cospadi {

const std::vector<Form>& forms() {
    static const std::vector<Form> all = {
        {LowRankWeight::kForm, LowRankWeight::read, LowRankWeight::describe, "right_bits"},
        {RemappedWeight::kForm, RemappedWeight::read, RemappedWeight::describe},
        {SparseDictionaryWeight::kForm, SparseDictionaryWeight::read,
         SparseDictionaryWeight::describe, "coefficient_bits"},
        {GroupQuantisedWeight::kForm, GroupQuantisedWeight::read, GroupQuantisedWeight::describe},
        {PrunedWeight::kForm, PrunedWeight::read, PrunedWeight::describe},
        {DenseWeight::kForm, DenseWeight::read, DenseWeight::describe, nullptr, false, false},
        {RemovedWeight::kForm, RemovedWeight::read, RemovedWeight::describe, nullptr, true, false}};
    return all;
}

const Form* findForm(const std::string& name) {
    for (const Form& form : forms()) {
        if (name == form.name) {
            return &form;
        }
    }
    return nullptr;
}

bool isRemoved(const std::string& name) {
    const Form* form = findForm(name);
    return form != nullptr && form->isRemoved;
}

}  // namespace cospadi
