// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

namespace palimpsest::goldens {

/// The value with every `model_dump()` map (one with `additional_kwargs`) as the tagged message that a stored row would
/// hold.
Value typedMessages(const Value &value);

} // namespace palimpsest::goldens
