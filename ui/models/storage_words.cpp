#include "ui/models/storage_words.h"

#include "ui/base/translated.h"

namespace cospadi::ui {

QString storageWords(Accounting accounting) {
    switch (accounting) {
        case Accounting::Eq11:
            return Words::tr("shorter values (eq 11)");
        case Accounting::Eq10:
            return Words::tr("bf16 values (eq 10)");
        case Accounting::Packed:
            return Words::tr("packed: more atoms");
        case Accounting::Packed8:
            return Words::tr("packed8: 8-bit atoms");
        case Accounting::Integers:
            return Words::tr("integers: few bits");
        case Accounting::Remapped:
            return Words::tr("remapped: max(d1, d2) per rank");
    }
    return {};
}

}  // namespace cospadi::ui
