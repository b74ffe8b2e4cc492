// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/jsonoutput.h"
#include "core/sources/checkpointsource.h"
#include "core/values/severity.h"

#include <vector>

/// Parts of answers that several subcommands share.
namespace palimpsest {

/// An event with Python's member names, its summary as a key of the pool; null when there is none. A malformed one also
/// says so and shows what is stored.
void writeEvent(JsonOutput &json, MessagePool &pool, const SummarizationEvent *event);
/// An array of findings in the form of `lint`.
void writeFindings(JsonOutput &json, const std::vector<Finding> &findings);
void writeFinding(JsonOutput &json, const Finding &finding);
/// The member "source": what a source says of itself.
void writeSource(JsonOutput &json, const SourceInfo &info);

} // namespace palimpsest
