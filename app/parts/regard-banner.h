/* regard-banner.h — what went wrong, what was kept, and what to do; above the texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A banner never takes the keyboard and never covers anything. Each subject has one message; the
 * newest is shown, and when it is cleared the one before comes back, so that trouble with a
 * sentence cannot hide trouble with a model.
 *
 * Signal: "response" (RegardBannerSubject): the message's button was pressed.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum {
  REGARD_BANNER_REST,      /* a part of a text's attention is computed, and how to get the rest */
  REGARD_BANNER_CAPTURE,   /* what is shown comes from a file, and how to come back */
  REGARD_BANNER_SESSION,   /* what a session needs that is not there, and how to get it */
  REGARD_BANNER_LOADING,   /* a model is being opened: progress and Cancel */
  REGARD_BANNER_MODEL,     /* a model could not be opened */
  REGARD_BANNER_LANGUAGES, /* what the model that was opened is able to translate */
  REGARD_BANNER_FILE,      /* a picture could not be written */
  REGARD_BANNER_TEXT,      /* the text could not be translated */
  REGARD_N_BANNERS,
} RegardBannerSubject;

#define REGARD_TYPE_BANNER (regard_banner_get_type())
G_DECLARE_FINAL_TYPE(RegardBanner, regard_banner, REGARD, BANNER, GtkWidget)

/* title: what happened, and in a second line its details, which stand below all else; detail: what
 * was kept and what to do (may be NULL); button: label of the action, or NULL for none. */
void regard_banner_show(RegardBanner *self, RegardBannerSubject subject, const char *title,
                        const char *detail, const char *button);
/* Progress bar of a message, 0..1; negative: no bar. */
void regard_banner_set_share(RegardBanner *self, RegardBannerSubject subject, double share);
void regard_banner_clear(RegardBanner *self, RegardBannerSubject subject);
/* Title of a subject's message, NULL if there is none; for tests. */
const char *regard_banner_get_title(RegardBanner *self, RegardBannerSubject subject);

G_END_DECLS
