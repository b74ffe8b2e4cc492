// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace palimpsest {

/// An index that knows what it counts: a place in the raw log is not a place in the effective messages.
template <class Tag>
struct Index {
    std::int64_t value = -1;

    constexpr Index() = default;
    constexpr explicit Index(std::int64_t v)
        : value(v)
    {
    }
    constexpr explicit Index(std::size_t v)
        : value(static_cast<std::int64_t>(v))
    {
    }
    constexpr explicit Index(int v)
        : value(v)
    {
    }
    [[nodiscard]] constexpr bool isValid() const { return value >= 0; }
    [[nodiscard]] constexpr std::size_t at() const { return static_cast<std::size_t>(value); }
    constexpr auto operator<=>(const Index &) const = default;
    constexpr Index operator+(std::int64_t n) const { return Index(value + n); }
    constexpr Index operator-(std::int64_t n) const { return Index(value - n); }
    constexpr Index &operator++()
    {
        ++value;
        return *this;
    }
};

/// Place of a message in a checkpoint's raw log, from 0.
using MessageIndex = Index<struct MessageTag>;
/// Place of a message in an effective list or a request, from 0.
using EffectiveIndex = Index<struct EffectiveTag>;
/// Place of a checkpoint in its namespace, in checkpoint_id order, from 0.
using CheckpointIndex = Index<struct CheckpointTag>;
/// Number of a model call in its namespace, as shown to people: 1, 2, …
using CallNumber = Index<struct CallTag>;

} // namespace palimpsest

template <class Tag>
struct std::hash<palimpsest::Index<Tag>> {
    std::size_t operator()(const palimpsest::Index<Tag> &index) const noexcept { return std::hash<std::int64_t>()(index.value); }
};
