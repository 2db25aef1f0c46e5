// Tries the verbs of plain arithmetic: products, what is done entry by entry, sums and counts. All
// are exact.
#pragma once

namespace cospadi {

class VerbTrial;

void tryArithmetic(VerbTrial& trial);

}  // namespace cospadi
