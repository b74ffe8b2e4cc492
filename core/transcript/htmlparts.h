// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

/// The fixed parts of an HTML transcript.
namespace palimpsest::html {

/// Text between tags or inside a quoted attribute. Lone surrogates become U+FFFD: a page is UTF-8.
std::string escaped(std::string_view wtf8);
/// Light and dark after the reader's system, and for paper.
std::string_view style();
/// Search field and buttons.
std::string_view controls();
/// Search, folding and the switch between light and dark. Needs nothing from outside.
std::string_view script();

} // namespace palimpsest::html
