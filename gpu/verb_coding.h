// Tries the verbs that find sparse codes and learn their dictionary. Most choose: by the error that
// they leave.
#pragma once

namespace cospadi {

class VerbTrial;

// pursuits: ompEncode and ksvdSweep, too.
void tryCoding(VerbTrial& trial, bool pursuits);

}  // namespace cospadi
