#include "core/forms/forms.h"

#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/pruned/pruned_weight.h"
#include "core/forms/remapped/remapped_weight.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"

namespace cospadi {

const std::vector<Form>& forms() {
    static const std::vector<Form> all = {
        {LowRankWeight::kForm, LowRankWeight::read, LowRankWeight::describe, "right_bits"},
        {RemappedWeight::kForm, RemappedWeight::read, RemappedWeight::describe},
        {SparseDictionaryWeight::kForm, SparseDictionaryWeight::read,
         SparseDictionaryWeight::describe, "coefficient_bits"},
        {GroupQuantisedWeight::kForm, GroupQuantisedWeight::read, GroupQuantisedWeight::describe},
        {PrunedWeight::kForm, PrunedWeight::read, PrunedWeight::describe}};
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

}  // namespace cospadi
