#include "core/forms/forms.h"

#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/pruned/pruned_weight.h"
#include "core/forms/remapped/remapped_weight.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"

namespace cospadi {

const std::vector<Form>& forms() {
    static const std::vector<Form> all = {
        {LowRankWeight::kForm, "low rank", LowRankWeight::read, LowRankWeight::describe},
        {RemappedWeight::kForm, "low rank, remapped", RemappedWeight::read,
         RemappedWeight::describe},
        {SparseDictionaryWeight::kForm, "sparse dictionary", SparseDictionaryWeight::read,
         SparseDictionaryWeight::describe},
        {GroupQuantisedWeight::kForm, "quantised in groups", GroupQuantisedWeight::read,
         GroupQuantisedWeight::describe},
        {PrunedWeight::kForm, "pruned", PrunedWeight::read, PrunedWeight::describe}};
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
