// SPDX-License-Identifier: GPL-3.0-or-later
// Resources of the program: icon and translations.
namespace arenascope::app {
extern const int kResourcesAreHere;
const int kResourcesAreHere = 1;
}  // namespace arenascope::app
