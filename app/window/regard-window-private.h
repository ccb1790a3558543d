/* regard-window-private.h — the parts of the window that its source files share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each file observes the document for what it shows (regard_window_observe_…) and calls it for what
 * a person does. What one file says to another is at the end, and is little.
 */
#pragma once

#include "document/regard-document.h"
#include "export/regard-exporter.h"
#include "export/regard-log.h"
#include "learn/regard-learn-panel.h"
#include "learn/regard-spotlight.h"
#include "models/regard-model-chooser.h"
#include "parts/regard-compare-bar.h"
#include "parts/regard-interventions-bar.h"
#include "parts/regard-messages.h"
#include "parts/regard-question-bar.h"
#include "parts/regard-simple-bar.h"
#include "parts/regard-source-pane.h"
#include "parts/regard-start-page.h"
#include "parts/regard-target-pane.h"
#include "parts/regard-training-bar.h"
#include "parts/regard-welcome.h"
#include "runner/regard-work.h"
#include "talk/regard-talk-bar.h"
#include "talk/regard-talk-panel.h"
#include "views/regard-view.h"
#include "window/regard-window.h"

G_BEGIN_DECLS

struct _RegardWindow {
  AdwApplicationWindow parent_instance;

  /* of the template */
  AdwWindowTitle *title;
  GtkWidget *root;
  GtkMenuButton *model_button;
  GtkLabel *model_label, *model_detail;
  GMenu *choices_section, *views_menu, *scale_menu, *colormap_menu, *examples_menu, *recent_menu;
  GtkWidget *header, *copy_button, *view_bar, *changes_row;
  GtkMenuButton *menu_button;
  RegardBanner *banner;
  GtkPaned *text_paned, *split;
  RegardSourcePane *source;
  RegardTargetPane *target;
  GtkStack *content;
  AdwViewStack *views;
  GtkWidget *switcher; /* the wide one, or where there is no room for it another */
  AdwViewSwitcher *wide_switcher;
  RegardStartPage *start;
  RegardWelcome *welcome;
  RegardQuestionBar *question;
  RegardSimpleBar *simple_bar;
  GtkWidget *panes_button, *model_name, *simple_button, *full_button, *more_button;
  GMenu *more_menu;
  RegardTrainingBar *training_bar;
  RegardCompareBar *compare_bar;
  RegardInterventionsBar *changes_bar;

  RegardModelChooser *chooser;
  RegardMessages *messages;
  RegardExporter *exporter;
  RegardLog *log;
  struct _RegardComposer *composer; /* weak: whose files this log has; NULL: nobody used it */

  struct _RegardWindowStage *stage; /* -stage.c */
  RegardSpotlight *spotlight;       /* over all of it */

  /* lessons (-learn.c) */
  GtkPaned *learn_paned;
  RegardLearnPanel *learn_panel;
  struct _RegardWindowLearn *learn;
  gboolean is_tight, yields_to_talk; /* beside the list of a talk; likewise */
  gboolean yields_details;           /* the details give way to a lesson, in a narrow window … */
  gboolean yields_controls; /* … and in a low one what is below the large picture does to that */

  /* talks (-talk.c) */
  RegardTalkPanel *talk_panel;
  RegardTalkBar *talk_bar;
  struct _RegardWindowTalk *talk;

  GSettings *settings;
  RegardDocument *document;
  RegardSelection *selection; /* the document's */

  int effects_with; /* effects of heads when they are switched on again, an mt_ablation_kind */
  gboolean is_presenting;
  guint presented; /* panes that are shown to a room, a bit each (-window.c) */
  guint in_simple; /* the same of a simple window */

  /* what one begins with (-start.c) */
  gboolean is_welcoming, is_leading;
  guint leading_idle;
  char *welcome_text;                   /* with which the welcome began */
  GPtrArray *examples;                  /* of the model; NULL: none yet */
  const RegardExampleSentence *example; /* whose text is there; NULL: none */

  gboolean is_placing; /* settings that belong together are written one after the other */

  /* sessions: the file of the present one, and of one that is being read; one whose picture is on
   * its way; NULL: none */
  char *session_path, *opening_path;
  RegardSession *arriving;
  guint arriving_idle;
  gboolean is_look_back; /* it is one that was looked at before, not a file */
  char *saved_content; /* regard_document_dup_content of what is in the file; NULL: there is none */
  gboolean is_unsaved;
  guint unsaved_idle;
  RegardWork *session_stepping; /* to the next one of its folder */
  RegardWork *recent_looking;   /* which recent files are still there */

  /* the corpus of the page Measure: what is being read; whether a person chose that, and the
   * present one */
  RegardWork *corpus_opening;
  gboolean corpus_is_asked, corpus_was_asked;

  /* what was asked of a picture that is still being computed (-session.c): an action, its
   * parameter, and the page; NULL: nothing */
  char *wish;
  GVariant *wish_parameter;
  RegardView *wish_page; /* to compare only */
  guint wish_idle;

  /* what was there before a letter changed it (-keys.c); NULL: none did */
  struct _RegardSwitched *before_letter;

  /* the layout */
  gboolean is_laying_out; /* the program moves a divider, not the person */
  int laid_out_width, laid_out_room;
  int title_width; /* when it was there last */
  guint layout_idle;
};

/* Those who observe, each in its file, and actions of the class. */
void regard_window_observe_model(RegardWindow *self);   /* -model.c: models, changes, corpora */
void regard_window_observe_actions(RegardWindow *self); /* -keys.c: what can be done */
void regard_window_observe_files(RegardWindow *self);   /* -session.c: what is opened and saved */
void regard_window_observe_simple(RegardWindow *self);  /* -simple.c: how many controls */
void regard_window_observe_log(RegardWindow *self);     /* -log.c: what was done */
/* The window uses the composer, whose files its log has from now on. */
void regard_window_log_composer(RegardWindow *self, struct _RegardComposer *composer);
void regard_window_observe_start(RegardWindow *self); /* -start.c: welcome and examples */
void regard_window_install_model_actions(GtkWidgetClass *klass);
void regard_window_install_actions(GtkWidgetClass *klass);
void regard_window_install_file_actions(GtkWidgetClass *klass);
void regard_window_install_log_actions(GtkWidgetClass *klass);
/* -learn.c: lessons. What was there before one is back when it is left. */
void regard_window_observe_learn(RegardWindow *self);
void regard_window_install_learn_actions(GtkWidgetClass *klass);
void regard_window_leave_lesson(RegardWindow *self);
/* That runs; NULL: none. Borrowed. */
const RegardLesson *regard_window_get_lesson(RegardWindow *self);
void regard_window_forget_learn(RegardWindow *self);

/* A target, or a term of the glossary, of a link in prose is pointed at, or shown. */
void regard_window_follow_link(RegardWindow *self, const char *target);
/* Of the panel of lessons, whether one runs there or not. Borrowed. */
const RegardLessonRunState *regard_window_get_lesson_state(RegardWindow *self);
/* The lesson that runs is left; its file, to go on with it later. Caller frees; NULL: none ran. */
char *regard_window_suspend_lesson(RegardWindow *self);
/* The panel of lessons makes room for who presents, and is back after that. */
void regard_window_hide_learn(RegardWindow *self, gboolean is_hidden);

/* -talk.c: talks, which are recorded, edited and given. */
void regard_window_observe_talk(RegardWindow *self);
/* The list of slides, which who presents does not have. */
void regard_window_show_talk_panel(RegardWindow *self);
void regard_window_install_talk_actions(GtkWidgetClass *klass);
void regard_window_forget_talk(RegardWindow *self);
/* That is given; NULL: none is. Borrowed. */
const RegardLesson *regard_window_get_talk(RegardWindow *self);
/* From before its first slide is set up until what was there is back. */
gboolean regard_window_gives_talk(RegardWindow *self);
/* Begins the talk of the window, or the lesson that runs as one, at its first slide or where one
 * is. FALSE: there is none. */
gboolean regard_window_give_talk(RegardWindow *self, gboolean from_here);
/* A directive `state`. FALSE: *error says why it cannot be shown. */
gboolean regard_window_show_state(RegardWindow *self, const RegardDirective *state, GError **error);
void regard_window_end_talk(RegardWindow *self);
/* What is not in a file is kept for the next start. */
void regard_window_keep_talk(RegardWindow *self);

/* -stage.c: the window as the stage of lessons */
void regard_window_stage_init(RegardStageInterface *interface);
void regard_window_install_stage_actions(GtkWidgetClass *klass);
void regard_window_observe_stage(RegardWindow *self);
void regard_window_forget_stage(RegardWindow *self);
void regard_window_install_start_actions(GtkWidgetClass *klass);

/* -keys.c */
void regard_window_add_keys(RegardWindow *self);
void regard_window_remove_setting_actions(RegardWindow *self);
void regard_window_forget_letter(RegardWindow *self);
/* The keyboard goes to the picture of the page that is seen, if there is one. */
void regard_window_focus_picture(RegardWindow *self);
/* -session.c */
void regard_window_forget_wish(RegardWindow *self);
/* What an action asks of a picture that is still being computed is done when it is there: TRUE. */
gboolean regard_window_waits(RegardWindow *self, const char *action, GVariant *parameter);
void regard_window_forget_session(RegardWindow *self);
/* How it is looked at, with the text that is; and that brought back, when the text is there: the
 * session is taken. */
RegardSession *regard_window_take_look(RegardWindow *self);
void regard_window_bring_look_back(RegardWindow *self, RegardSession *session);
/* All of the large picture is seen. */
void regard_window_reset_zoom(RegardWindow *self);
/* -look.c: how all of it is looked at, which is put aside while a lesson is; what it begins from;
 * and what was put aside back, which is taken. */
typedef struct _RegardWindowLook RegardWindowLook;
RegardWindowLook *regard_window_put_look_aside(RegardWindow *self);
void regard_window_begin_look(RegardWindow *self);
void regard_window_return_look(RegardWindow *self, RegardWindowLook *look);
void regard_window_take_view_state(RegardWindow *self, RegardViewState *look);
/* -simple.c */
void regard_window_show_models(RegardWindow *self);
/* Another lesson runs, or none any more. */
void regard_window_update_simple(RegardWindow *self);
/* -start.c: begin with this text, and go where its example leads; pictures, few controls or all */
void regard_window_on_example(RegardWindow *self, const char *text);
void regard_window_on_explore(RegardWindow *self, gboolean simple);
void regard_window_take_examples(RegardWindow *self, GPtrArray *examples);
void regard_window_forget_examples(RegardWindow *self);
/* -model.c */
void regard_window_update_interventions(RegardWindow *self);
/* -window.c: the title */
void regard_window_update_title(RegardWindow *self);
/* The session's file has this (regard_document_dup_content), which is taken. */
void regard_window_note_saved(RegardWindow *self, char *content);
void regard_window_note_recent(const char *path);
/* Its layout, the parts that can be hidden, and how it is shown to a room. */
void regard_window_show_parts(RegardWindow *self);
void regard_window_reset_layout(RegardWindow *self);
void regard_window_set_presenting(RegardWindow *self, gboolean presenting);
/* Whether a room sees the colours of the presentation, and not those that were chosen. */
gboolean regard_window_has_room_colours(RegardWindow *self);
/* Which panes a room sees: bits of the parts in their order (-window.c). */
void regard_window_present_parts(RegardWindow *self, guint parts);
#define REGARD_WINDOW_HEADS    (1U << 0)
#define REGARD_WINDOW_DETAILS  (1U << 1)
#define REGARD_WINDOW_RECEIVED (1U << 4)
/* The main menu, while the header with its button is hidden. */
void regard_window_show_menu(RegardWindow *self);
/* The panes that a simple window begins with, and which of all there are now. */
#define REGARD_WINDOW_SIMPLE_PARTS (1U << 0 | 1U << 2) /* heads, and pieces under the texts */
void regard_window_show_parts(RegardWindow *self);
/* Its content. */
void regard_window_update_content(RegardWindow *self);
RegardView *regard_window_get_page(RegardWindow *self); /* chosen, seen or not; may be NULL */
/* Call update(window) when another page is chosen, and when what a page can export is another. */
void regard_window_observe_pages(RegardWindow *self, GCallback update);

G_END_DECLS
