// SPDX-License-Identifier: GPL-3.0-or-later
// Error messages of the engine in the language of the user. The engine, the command line and recordings keep the
// English ones.
#pragma once
#include <QString>

#include <string_view>

namespace arenascope::views {

// In English, and for a message without a translation, the message itself. Quoted arguments, which are names, are kept;
// another one that is itself a known message, as a cause after the name of a file, is translated, too.
QString engine_error_text(const QString& error);
QString engine_error_text(std::string_view error);

}  // namespace arenascope::views
