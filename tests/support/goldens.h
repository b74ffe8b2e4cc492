// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/message.h"
#include "core/values/value.h"

#include <functional>
#include <string>
#include <vector>

/// Golden cases made by calling the real packages (encoding: tests/data/goldens/README.md).
namespace palimpsest::goldens {

struct Case {
    std::string id;
    std::string note;
    Value input; ///< decoded: specs expanded, tuples and overwrites as tagged values of Form::Python
    Value output; ///< the same, but digests of long texts and `$same_as_input` stay maps
};

struct Family {
    std::string version; ///< "0.7.7"
    std::string name;
    Value source;
    std::vector<Case> cases;
};

/// The family in every version folder of PALIMPSEST_GOLDENS or of tests/data/goldens that has it.
std::vector<Family> load(const std::string &family);

/// Expands one encoded value.
Value decode(const Value &encoded);

/// Where `actual` differs from `expected`, or an empty text. Digests in `expected` match texts of that digest. Lists
/// and tuples are equal when their items are; integers and floats of the same number differ.
std::string difference(const Value &expected, const Value &actual, const std::string &where = {});

/// Runs `check` (which returns an empty text when the case passes) on every case of every version, prints one line a
/// version and family, and gives the explanations of the failures. Empty when all passed and at least one case ran.
std::vector<std::string> run(
    const std::string &family, const std::function<std::string(const Case &, const std::string &version)> &check);

/// The messages of a list of `model_dump()` maps.
std::vector<MessagePtr> messages(const Value &list);

} // namespace palimpsest::goldens

/// Fails the running Qt Test with the first explanations when there are any.
#define PALIMPSEST_VERIFY_GOLDENS(failures)                                                                            \
    do {                                                                                                               \
        const auto all = (failures);                                                                                   \
        QByteArray shown;                                                                                              \
        for (std::size_t i = 0; i < all.size() && i < 10; ++i)                                                         \
            shown += QByteArray::fromStdString(all[i]) + '\n';                                                         \
        QVERIFY2(all.empty(), shown.constData());                                                                      \
    } while (false)
