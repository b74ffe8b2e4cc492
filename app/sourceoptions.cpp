// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sourceoptions.h"

#include "core/sources/net/serverthread.h"

#include <QByteArray>

namespace palimpsest {

SourceOptions sourceOptions(const JobContext &job)
{
    SourceOptions options;
    options.aesKey = qgetenv("LANGGRAPH_AES_KEY").toStdString();
    options.openAddress = [&job](const std::string &address) {
        return openServerThread(address, ServerAccess::fromEnvironment(), job);
    };
    return options;
}

} // namespace palimpsest
