// What charts and maps are to screen readers: by themselves widgets that paint are told as mere
// areas. Names, and the values at the keyboard's cursor as description, are the widgets' own.
#pragma once

namespace cospadi::ui {

void useChartRoles();  // once for the program; again changes nothing

}  // namespace cospadi::ui
