// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing is here: the target of this file owns the precompiled header of a room's tests.
