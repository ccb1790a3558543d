/* regard-window-private.h — the parts of the window that its source files share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-translator.h"
#include "models/regard-model-chooser.h"
#include "parts/regard-alternatives.h"
#include "parts/regard-language-choice.h"
#include "parts/regard-search-popover.h"
#include "parts/regard-start-page.h"
#include "parts/regard-text-card.h"
#include "parts/regard-training-bar.h"
#include "parts/regard-wordings.h"
#include "views/regard-view.h"
#include "widgets/regard-token-strip.h"
#include "window/regard-window.h"

G_BEGIN_DECLS

struct _RegardWindow {
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toasts;
  GtkWidget *root;
  GtkMenuButton *model_button;
  GtkWidget *copy_button, *export_button;
  GtkLabel *model_label, *model_detail;
  GMenu *choices_section, *views_menu, *scale_menu, *colormap_menu;
  RegardBanner *banner;
  GtkPaned *text_paned, *split;
  RegardTextCard *source, *target;
  RegardLanguageChoice *language;
  GtkLabel *source_status;
  RegardWordings *target_status, *alternatives_label;
  GtkMenuButton *search_button, *alternatives_button;
  GtkSpinner *spinner;
  GtkStack *content;
  AdwViewStack *views;
  AdwViewSwitcher *switcher;
  RegardStartPage *start;
  RegardTrainingBar *training_bar;

  RegardTokenStrip *strips[2]; /* source, target */
  RegardAlternatives *alternatives;
  RegardSearchPopover *search_popover;
  RegardModelChooser *chooser;

  GSettings *settings;
  RegardSelection *selection;
  RegardTranslator *translator;

  /* the model */
  mt_model *model;       /* that runs; NULL: none yet */
  char *model_dir;       /* its folder or archive, "" for the bundled one */
  char *model_title;     /* "English → German" */
  GCancellable *loading; /* a model is being opened */
  char *loading_dir;     /* "" for the bundled one */
  char *ready_dir;       /* opened, and handed to the worker; NULL: none */
  char *ready_title;
  GArray *ready_training;
  GArray *training;     /* RegardTrainingStep: its checkpoints, if the model is one; or NULL */
  guint training_tick;  /* the next one is shown by the clock */
  gboolean is_swapping; /* no other model may be opened before this one has its place */

  /* the text */
  RegardResult *result; /* what is shown; NULL: nothing */
  GArray *target_spans; /* RegardSentence: where each sentence's translation stands */
  guint request_idle;   /* a request is about to be sent */
  int next_alternative; /* with the next request; -1: as it was */
  char *asked_text;     /* of the newest request; NULL: none */
  int asked_active;
  guint spinner_timeout;

  /* a capture from a file, shown in place of the translation */
  mt_capture *foreign;   /* NULL: none */
  GCancellable *reading; /* a file is being read */
  char *kept_text;       /* what was typed before */
  gsize kept_caret;
  char *kept_kind; /* and looked at */
  guint kept_layer, kept_head;

  gboolean is_placing; /* kind, layer and head are being written one after the other */

  /* the layout */
  gboolean is_laying_out; /* the program moves a divider, not the person */
  int laid_out_width, laid_out_room;
  guint layout_idle;
};

/* regard-window-text.c */
void regard_window_queue_request(RegardWindow *self); /* text, caret or settings changed */
void regard_window_update_request(RegardWindow *self, gboolean force);
void regard_window_connect_translator(RegardWindow *self);
void regard_window_begin_waiting(RegardWindow *self); /* a spinner, if it takes long */
void regard_window_end_waiting(RegardWindow *self);
void regard_window_choose_alternative(RegardWindow *self, guint alternative);
void regard_window_step_sentence(RegardWindow *self, int step);
void regard_window_update_content(RegardWindow *self); /* pictures or start page */
void regard_window_update_lit(RegardWindow *self);
void regard_window_update_status(RegardWindow *self);
void regard_window_get_search(RegardWindow *self, RegardSearch *search);

/* regard-window-result.c */
void regard_window_show_result(RegardWindow *self, RegardResult *result);
void regard_window_clear_result(RegardWindow *self);

/* regard-window-model.c */
void regard_window_use_model(RegardWindow *self, mt_model *model);
void regard_window_add_model_chooser(RegardWindow *self);
void regard_window_end_swap(RegardWindow *self); /* if the old model is out of memory */
void regard_window_cancel_loading(RegardWindow *self);
void regard_window_update_precision(RegardWindow *self); /* the setting changed */
void regard_window_choose_model(RegardWindow *self, GtkFileChooserAction action);
void regard_window_add_drop_target(RegardWindow *self);

/* regard-window-training.c */
gboolean regard_window_is_step(RegardWindow *self, const char *dir);
/* Show the checkpoints beside the model that runs, if it is one of them; steps may be NULL. */
void regard_window_set_training(RegardWindow *self, GArray *steps);
void regard_window_show_training(RegardWindow *self);
void regard_window_update_keep(RegardWindow *self); /* there is another result */
void regard_window_show_example(RegardWindow *self);
void regard_window_install_training_actions(GtkWidgetClass *klass);
void regard_window_add_training(RegardWindow *self);

/* regard-window-capture.c */
gboolean regard_window_shows_file(RegardWindow *self);
char *regard_window_describe_file(RegardWindow *self, mt_stack stack); /* caller frees */
void regard_window_close_file(RegardWindow *self);                     /* back to the typed text */
void regard_window_install_capture_actions(GtkWidgetClass *klass);
void regard_window_add_capture_keys(RegardWindow *self);

/* regard-window-actions.c */
void regard_window_install_actions(GtkWidgetClass *klass);
void regard_window_add_setting_actions(RegardWindow *self);
void regard_window_remove_setting_actions(RegardWindow *self);
void regard_window_add_keys(RegardWindow *self);
void regard_window_fill_menus(RegardWindow *self);
void regard_window_update_actions(RegardWindow *self);

/* regard-window-layout.c */
void regard_window_add_layout(RegardWindow *self);
void regard_window_queue_layout(RegardWindow *self);
void regard_window_reset_layout(RegardWindow *self);

/* regard-window-look.c: the selection and the settings follow each other */
void regard_window_bind_look(RegardWindow *self);
void regard_window_update_search_label(RegardWindow *self);
void regard_window_apply_place(RegardWindow *self);

/* regard-window-export.c */
void regard_window_install_export_actions(GtkWidgetClass *klass);
void regard_window_update_choices(RegardWindow *self);
RegardView *regard_window_get_view(RegardWindow *self); /* visible one; NULL: start page */
void regard_window_toast(RegardWindow *self, const char *text);

G_END_DECLS
