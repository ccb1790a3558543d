/* same-capture.h — two model folders that must hold the same model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <mt.h>

/* Translates and captures a text with the model of either path and ends the test unless all of it,
 * from the ids to the last bit of every matrix, is the same. */
void assert_same_capture(const char *path, const char *other, const char *text);
/* The same for models that are open. */
void assert_same_model(mt_model *model, mt_model *other, const char *text);
