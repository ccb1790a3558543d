/* regard-talk-states.h — the states of a talk that is given: read ahead, with their models looked
 * for, and shown in the document.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading a state and finding its model by its files take longer than a room waits. So the slide
 * that comes next is made ready while one is talked about, and so is its translation.
 */
#pragma once

#include "document/regard-document.h"
#include "talk/regard-talk.h"

G_BEGIN_DECLS

#define REGARD_TYPE_TALK_STATES (regard_talk_states_get_type())
G_DECLARE_FINAL_TYPE(RegardTalkStates, regard_talk_states, REGARD, TALK_STATES, GObject)

/* References are taken. recent: models opened lately, to look among; may be NULL. */
RegardTalkStates *regard_talk_states_new(RegardTalk *talk, RegardDocument *document,
                                         const char *const *recent);
/* Shows the state of a slide, at once if it is ready, else as soon as it is, unless another is
 * asked for meanwhile. Signal "failed" (GError): it cannot be shown. */
void regard_talk_states_show(RegardTalkStates *self, guint slide);
/* Makes one ready, in the place of another that is being made so. */
void regard_talk_states_prepare(RegardTalkStates *self, guint slide);
/* None is to be shown any more. */
void regard_talk_states_stop(RegardTalkStates *self);

G_END_DECLS
