// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

namespace palimpsest {

/// Reads whatever core/sources recognises. LANGGRAPH_AES_KEY opens encrypted rows.
SourceReader coreReader();

} // namespace palimpsest
