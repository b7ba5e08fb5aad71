// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the program's resources: the icon and the translations.
namespace arenascope::app {
extern const int kResourcesAreHere;
const int kResourcesAreHere = 1;
}  // namespace arenascope::app
