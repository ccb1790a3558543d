/* states.h — what one run of a sentence computed, to be copied into another (activation patching).
 * Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_STATES_H
#define MT_PUBLIC_STATES_H

#include <mt/changes.h>
#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/session.h>
#include <mt/translation.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a teacher-forced pass, the reference run: the residual stream of every token before the first
 * layer, behind each attention sub-layer and behind each layer, and every head's context. Where the
 * change "patch" (changes.h) is made, the model goes on with these instead of its own. Immutable,
 * reference-counted. About 4 * d_model * (n_layers * (2 to 4) + 1) bytes a token. */
typedef struct mt_states mt_states;

/* Of hypothesis `index` of a translation, with the changes of hooks, whose should_stop is polled;
 * all else of them is left aside. Errors: as those of mt_session_capture. */
mt_states *mt_states_new(mt_session *session, const mt_translation *translation, size_t index,
                         const mt_hooks *hooks, mt_error *error);
mt_states *mt_states_ref(mt_states *states);
void mt_states_unref(mt_states *states);

/* The same changes, where "patch" copies from these; states NULL: from none. The means of the list
 * stay. Lists are equal only if their states are, too. The text of a list does not hold them, nor
 * do requests and captures in files. The model may be another one of the same shape, such as
 * another checkpoint. In the encoder, the text has to have as many tokens as the run; rows of the
 * decoder that the run does not have stay as they are. */
mt_changes *mt_changes_with_states(const mt_changes *changes, mt_states *states, mt_error *error);
/* Borrowed; NULL: none. */
const mt_states *mt_changes_states(const mt_changes *changes);

#ifdef __cplusplus
}
#endif
#endif
