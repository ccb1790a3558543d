/* cli-engine.h — options about the model and the search, and the engine opened by them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-options.h"

G_BEGIN_DECLS

/* A request has no more settings. */
#define CLI_ENGINE_MOST_SETTINGS 32

/* 0 or NULL: not given, the model's own configuration decides. */
typedef struct {
  const char *model, *to, *precision;
  gboolean wants_means; /* means are wanted, whatever is changed */
  gint64 threads;
  guint capture_precision; /* index into the choices of its option */
  GPtrArray *changes;      /* made by the option; texts, borrowed */
  const char *changes_file;
  const char *means;      /* for those among the changes that want some */
  const char *patch_from; /* likewise */
  const char *prefix;     /* what the translation must begin with */
  GPtrArray *forbid;      /* made by the option, as changes */
  GPtrArray *force;       /* likewise */
  /* Settings of the search, by row of mt_search_field_at; of each, what its type says. */
  struct {
    gint64 whole;
    double number;
    guint choice;
  } settings[CLI_ENGINE_MOST_SETTINGS];
  CliOption setting_rows[CLI_ENGINE_MOST_SETTINGS + 1];
} CliEngineOptions;

/* Rows for a command's table; e is a CliEngineOptions. */
#define CLI_ENGINE_OPTIONS_MODEL(e) CLI_ENGINE_OPTION_MODEL(e), CLI_ENGINE_OPTION_TO(e)
#define CLI_ENGINE_OPTION_MODEL(e)                                         \
  {                                                                        \
    CLI_OPTION_TEXT, "model", 'm', &(e).model, "DIR",                      \
        "Folder, zip archive or name of a model; default: the bundled one" \
  }
#define CLI_ENGINE_OPTION_TO(e)                                \
  {                                                            \
    CLI_OPTION_TEXT, "to", 0, &(e).to, "CODE",                 \
        "Target language of a multi-target model, such as deu" \
  }
/* All settings of the search that have an option; n_best only for a command that lists results. */
#define CLI_ENGINE_OPTIONS_SEARCH(e, lists)                                             \
  {                                                                                     \
    .type = CLI_OPTION_ROWS, .value = (void *) cli_engine_search_options(&(e), (lists)) \
  }
const CliOption *cli_engine_search_options(CliEngineOptions *options, gboolean lists);
#define CLI_ENGINE_OPTION_THREADS(e)                                        \
  {                                                                         \
    CLI_OPTION_WHOLE, "threads", 0, &(e).threads, "N",                      \
        "Threads for the arithmetic; default: one a core, at most 4", 1, 64 \
  }

/* Of commands that translate one TEXT; text is a const char *. */
#define CLI_ENGINE_OPTION_TARGET(text)                              \
  {                                                                 \
    CLI_OPTION_TEXT, "target", 0, &(text), "TEXT",                  \
        "Take TEXT as the translation instead of searching for one" \
  }

/* What is changed in the model, and who computes; e.changes is to be initialised and released. */
#define CLI_ENGINE_OPTIONS_RUN(e) \
  CLI_ENGINE_OPTION_CHANGE(e), CLI_ENGINE_OPTION_CHANGES(e), CLI_ENGINE_OPTION_THREADS(e)
#define CLI_ENGINE_OPTION_CHANGE(e)                                           \
  {                                                                           \
    CLI_OPTION_LIST, "change", 0, &(e).changes, "CHANGE",                     \
        "Change the model in one place, such as 'cross 4.1 zero'; repeatable" \
  }
#define CLI_ENGINE_OPTION_CHANGES(e)                                                    \
  {CLI_OPTION_TEXT,   "changes", 0,                                                     \
   &(e).changes_file, "FILE",    "Make the changes of FILE, one a line, before those"}, \
      {CLI_OPTION_TEXT,                                                                 \
       "means",                                                                         \
       0,                                                                               \
       &(e).means,                                                                      \
       "FILE.npz",                                                                      \
       "Take means from FILE.npz, which regard-cli means wrote; default: the model's"}, \
  {                                                                                     \
    CLI_OPTION_TEXT, "patch-from", 0, &(e).patch_from, "TEXT",                          \
        "What changes called patch copy: the run of TEXT, without changes"              \
  }

/* Constraints of the search; e.forbid and e.force are to be initialised and released. */
#define CLI_ENGINE_OPTION_PREFIX(e)                                                       \
  {                                                                                       \
    CLI_OPTION_WORDS, "prefix", 0, &(e).prefix, "TEXT", "Begin the translation with TEXT" \
  }
#define CLI_ENGINE_OPTION_FORBID(e)                                           \
  {                                                                           \
    CLI_OPTION_LIST, "forbid", 0, &(e).forbid, "[N:]WORD",                    \
        "Translate without WORD, or without it at step N, from 1; repeatable" \
  }

#define CLI_ENGINE_OPTION_FORCE(e)                                           \
  {                                                                          \
    CLI_OPTION_LIST, "force", 0, &(e).force, "TERM",                         \
        "Translate so that TERM is in the translation, anywhere; repeatable" \
  }

#define CLI_ENGINE_OPTIONS_CONSTRAINTS(e) \
  CLI_ENGINE_OPTION_PREFIX(e), CLI_ENGINE_OPTION_FORCE(e), CLI_ENGINE_OPTION_FORBID(e)

#define CLI_ENGINE_OPTION_PRECISION(e)                                                     \
  {                                                                                        \
    CLI_OPTION_TEXT, "precision", 0, &(e).precision, "P",                                  \
        "Read weights as stored (the default), or rounded to f16, bf16, bf16-all, int8 or" \
        " int8-all"                                                                        \
  }

#define CLI_ENGINE_OPTION_CAPTURE_PRECISION(e)                                     \
  {                                                                                \
    CLI_OPTION_CHOICE, "capture-precision", 0, &(e).capture_precision, "P",        \
        "Compute attention with weights as stored (the default), or with the same" \
        " ones as the translation",                                                \
        0, 0, cli_engine_capture_precisions                                        \
  }
extern const char *const cli_engine_capture_precisions[];

typedef struct {
  char *path; /* of the model */
  mt_model *model;
  mt_session *session;
  mt_means *means;         /* of --means, or the model's own, where some are wanted */
  mt_request request;      /* what the options ask for */
  mt_search_params params; /* with the model's own settings for the rest */
  mt_hooks hooks;          /* with the changes of the request; for every call of the engine */
  gboolean has_asked;      /* for a language, once */
} CliEngine;

/* Open the model alone (session stays NULL) and find the language. Anything but CLI_DONE has been
 * reported. */
CliStatus cli_engine_open_model(const CliCommand *command, const CliEngineOptions *options,
                                CliEngine *engine);
/* Model and session, and search settings and changes checked against the model. */
CliStatus cli_engine_open(const CliCommand *command, const CliEngineOptions *options,
                          CliEngine *engine);
void cli_engine_clear(CliEngine *engine);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliEngine, cli_engine_clear)

/* The flag for mt_session_capture that the options ask for. */
unsigned cli_engine_capture_flags(const CliEngineOptions *options);

/* Says once on standard error if the model wants to be told a language and was not for this. */
void cli_engine_ask_language(const CliCommand *command, CliEngine *engine,
                             const mt_translation *translation);

/* Says on standard error, after `where`, what one would not expect of a translation: which
 * characters of the text the model does not know, and that a forced prefix ends in a word. */
void cli_engine_remark(const CliCommand *command, const char *where,
                       const mt_translation *translation);

/* Translate text, or score `target` as its translation if that is not NULL. Asks
 * for a language. */
mt_translation *cli_engine_translate(const CliCommand *command, CliEngine *engine, const char *text,
                                     const char *target, mt_error *error);

/* The same, and says what one would not expect of it. NULL: it has been reported why. */
mt_translation *cli_engine_translate_text(const CliCommand *command, CliEngine *engine,
                                          const char *text, const char *target);

/* A file name that ends with .npz, which commands want that write arrays. CLI_USAGE has been
 * reported. */
CliStatus cli_engine_check_npz(const CliCommand *command, const char *output);

G_END_DECLS
