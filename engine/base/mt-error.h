/* mt-error.h — filling in an mt_error, everywhere in the engine. Private to it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ERROR_H
#define MT_ERROR_H

#include "mt.h"
#include "mt/train/error.h"

#endif
