/* regard-help-topics.h — what help says of pages, pictures and controls: the list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A topic is found by the id of a page ("layers", "measure/alignment"), or by the name of a widget
 * (gtk_widget_set_name), which is a picture ("layers/lens", "matrix") or a control ("form-switch").
 * A control without a name of its own has the topic of the group around it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  const char *id;
  const char *title;        /* translatable, as are sentences */
  const char *text;         /* two sentences */
  const char *lesson;       /* id of the lesson about it; NULL: there is none */
  const char *const *terms; /* ids of the glossary, ends with NULL; may be NULL */
} RegardHelpTopic;

const RegardHelpTopic *regard_help_topics(guint *n);
/* NULL: there is none. */
const RegardHelpTopic *regard_help_topic_find(const char *id);

/* The title of a bundled lesson, to be translated; NULL: there is no such lesson. */
const char *regard_help_lesson_title(const char *id);

/* ---- Reading the Picture -----------------------------------------------------------------------
 */

typedef struct {
  const char *part;    /* id of a page or a pane, "training", or "" for what all pages have */
  const char *sign;    /* as it is drawn, translatable where it is a word */
  const char *meaning; /* translatable; NULL: the sign is a heading */
} RegardHelpSign;

/* Signs of a part stand together, and its first one is a heading. */
const RegardHelpSign *regard_help_signs(guint *n);

G_END_DECLS
