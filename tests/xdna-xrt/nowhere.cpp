// SPDX-License-Identifier: MIT
//
// A library that the test's library needs and the loader does not find.
extern "C" [[gnu::visibility("default")]] void xdna_nowhere() {}
