/* regard-capture.c — mt_capture as a boxed type, so that it can be a property.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection.h"

G_DEFINE_BOXED_TYPE(mt_capture, regard_capture, mt_capture_ref, mt_capture_unref)
