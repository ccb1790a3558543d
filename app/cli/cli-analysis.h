/* cli-analysis.h — commands that have a model compute something: what all of them do, once; and the
 * options that several of them have.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A command's own struct begins with a CliAnalysis; its row names the steps that are its own.
 */
#pragma once

#include "cli/cli-engine.h"

#include "formats/regard-export.h"

G_BEGIN_DECLS

/* ---- A picture and the file it goes to ------------------------------------------------------- */

/* What a picture is of, where that makes a difference to the files it can become. */
typedef enum {
  CLI_FIGURE_PLAIN,
  CLI_FIGURE_GRAPH,     /* a tree or the like: DOT, too */
  CLI_FIGURE_ATTENTION, /* an interactive page, too */
  CLI_N_FIGURES,
} CliFigure;

typedef struct {
  const char *output; /* "-": standard output */
  const char *wanted; /* a format by name, instead of by the ending; NULL: not given */
  char *passing;      /* arrays for standard output are written here first; NULL: they are not */
  guint colormap;     /* index into the list of ui; CLI_NO_CHOICE: the matrix decides */
  guint scale;        /* a RegardScale */
  gboolean dark;
  CliFigure figure; /* which formats can be written */
  gboolean caption;
  gboolean no_title, no_numbers, no_model;
  RegardExportOptions size;
  /* Filled in before anything is computed. */
  const RegardExportFormat *format; /* NULL: a panel of a figure, in a file of its own */
  RegardFigureStyle style;
} CliPicture;
/* What its options say of colours, and of what is left out. */
void cli_picture_make_style(CliPicture *picture);

/* ---- What a command is doing ----------------------------------------------------------------- */

typedef struct {
  const CliCommand *command;
  /* As typed. */
  CliEngineOptions options;
  CliPicture picture;
  const char *target;
  const char *texts; /* a file of texts, each taken for itself; NULL: not given */
  GPtrArray *arguments;
  const char *text; /* the one TEXT; NULL: there is none */
  /* For a check to say: nothing is opened, since a file has everything. */
  gboolean needs_no_model;
  /* Opened, and translated. lent: of all texts, opened with the first; NULL: this one's own. */
  CliEngine engine, *lent;
  mt_translation *translation;
  gpointer result; /* of compute, to be drawn or printed */
  /* How it ends, although there is something to draw or to print. */
  CliStatus status;
} CliAnalysis;
#define CLI_ANALYSIS_INIT_SIZE(...)      \
  {                                      \
    .picture =                           \
    {.colormap = CLI_NO_CHOICE,          \
     .size = __VA_ARGS__,                \
     .style = REGARD_FIGURE_STYLE_INIT } \
  }
#define CLI_ANALYSIS_INIT CLI_ANALYSIS_INIT_SIZE(REGARD_EXPORT_OPTIONS_INIT)

/* What is wanted beside the options. */
typedef enum {
  CLI_TAKES_ANYTHING, /* the check knows */
  CLI_TAKES_NOTHING,
  CLI_TAKES_TEXT, /* one, in quotes */
  CLI_TAKES_FILE, /* one */
} CliTakes;

/* What is written. */
typedef enum {
  CLI_WRITES_NOTHING,
  CLI_WRITES_PICTURE,   /* -o is wanted, and names a picture or numbers */
  CLI_WRITES_ON_DEMAND, /* the same, or something is printed */
  CLI_WRITES_ARRAYS,    /* -o is wanted, and names an archive of arrays, .npz */
} CliWrites;

/* In this order; each may be NULL. self: the command's own struct. Anything but CLI_DONE, or NULL,
 * is the end: with CLI_FAILED and an error that has a message, or NULL with such, that is said;
 * all else has been said. */
typedef RegardFigure *(*CliFigureFunc)(gpointer result, const RegardFigureStyle *style);
struct _CliAnalysisSteps {
  CliTakes takes;
  /* What does not go together; nothing was opened or computed yet. */
  CliStatus (*check)(gpointer self);
  CliWrites writes;
  gboolean opens_model_only; /* no session, and no settings of a search */
  /* What the model does not have. */
  CliStatus (*check_model)(gpointer self);
  gboolean translates; /* the TEXT, if there is one, or scores --target as its translation */
  CliStatus (*compute)(gpointer self, mt_error *error);
  /* If there is a file for it: of the result alone, or by the command. */
  CliFigureFunc figure;
  RegardFigure *(*draw)(gpointer self, mt_error *error);
  CliStatus (*print)(gpointer self); /* if there is none */
  /* In any case. */
  GDestroyNotify free_result;
  void (*clear)(gpointer self);
};
/* Of a CliCommand. */
void cli_analysis_begin(gpointer self);
CliStatus cli_analysis_run(const CliCommand *command, gpointer self, GPtrArray *arguments);
#define CLI_ANALYSIS(table, values, own_steps)                                                    \
  .options = (table), .defaults = &(values), .size = sizeof(values), .begin = cli_analysis_begin, \
  .run = cli_analysis_run, .steps = &(own_steps)

/* --OPTION against how many there are: "the layers of this model". CLI_USAGE has been reported. */
CliStatus cli_check_number(const CliCommand *command, const char *option, gint64 value, gsize most,
                           const char *what);

/* ---- Heads ----------------------------------------------------------------------------------- */

/* A head, from 0, and what was found of it. */
typedef struct {
  mt_attention_kind kind;
  guint layer, head;
  double value;
} CliHead;
/* An array of all heads of a model: by kind, layer and head, with values of 0. Caller unrefs. */
GArray *cli_heads_new(const mt_config *config);
/* The largest value first; where two are the same, as they stand in the model. */
void cli_heads_sort(GArray *heads);

/* ---- Options of several commands -------------------------------------------------------------
 *
 * Groups for CLI_OPTIONS in a table whose struct begins with a CliAnalysis. */

extern const CliOption cli_options_model[];      /* --model, --from, --to */
extern const CliOption cli_options_model_only[]; /* --model */
extern const CliOption cli_options_target[];
extern const CliOption cli_options_texts[];        /* of a command that takes one TEXT */
extern const CliOption cli_options_search[];       /* all settings that have an option … */
extern const CliOption cli_options_search_lists[]; /* … and how many results are listed */
extern const CliOption cli_options_constraints[];
extern const CliOption cli_options_run[]; /* what is changed in the model, and who computes */
extern const CliOption cli_options_translation[]; /* search, constraints, run */
extern const CliOption cli_options_threads[];
extern const CliOption cli_options_precision[];
extern const CliOption cli_options_capture_precision[];
extern const CliOption cli_options_said_memory[];
extern const CliOption cli_options_output[];
extern const CliOption cli_options_output_graph[];     /* … of CLI_FIGURE_GRAPH */
extern const CliOption cli_options_output_attention[]; /* … of CLI_FIGURE_ATTENTION */
extern const CliOption cli_options_output_npz[];
extern const CliOption cli_options_scale[];
extern const CliOption cli_options_colormap[];
extern const CliOption cli_options_dark[];
extern const CliOption cli_options_dpi[];
extern const CliOption cli_options_caption[];
extern const CliOption cli_options_picture[]; /* what every picture has */

/* Names of mt_ablation_kind, for an option. */
extern const char *const cli_effect_kinds[];

/* Of commands that compare two runs, A and B (cli-compare.c): groups of options, and, of one that
 * can compare what has other tokens, two more. */
extern const CliOption cli_options_reference[];
extern const CliOption cli_options_reference_other[];

/* A capture in a file, or that of a session of the window. Caller releases; NULL has been reported.
 */
mt_capture *cli_capture_read(const CliCommand *command, const char *path);

G_END_DECLS
