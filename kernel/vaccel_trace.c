// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace points.
 */
#define CREATE_TRACE_POINTS
#include "vaccel_trace.h"
