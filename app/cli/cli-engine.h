/* cli-engine.h — what options say of the model and the search, and the engine opened by them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

/* A request has no more settings. */
#define CLI_ENGINE_MOST_SETTINGS 32

/* 0 or NULL: not given, the model's own configuration decides. */
typedef struct {
  const char *model, *from, *to, *task, *precision;
  gboolean caches;      /* rounded weights are kept in a file */
  gboolean wants_means; /* means are wanted, whatever is changed */
  gint64 threads;
  gboolean as_searched;     /* attention is kept while a translation is searched for */
  guint capture_precision;  /* index into the choices of its option */
  guint guessing;           /* an mt_guessing */
  gint64 said_memory;       /* MiB of attention above which it is said; 0: the default */
  GPtrArray *interventions; /* texts, borrowed */
  const char *changes_file;
  const char *means;      /* for those among the changes that want some */
  const char *patch_from; /* likewise */
  const char *prefix;     /* what the translation must begin with */
  GPtrArray *forbid;      /* texts, borrowed */
  GPtrArray *force;       /* likewise */
  /* Settings of the search, by row of mt_search_field_at; of each, what its type says. FALSE: none
   * of them can be given. */
  gboolean has_settings;
  struct {
    gint64 whole;
    double number;
    guint choice;
  } settings[CLI_ENGINE_MOST_SETTINGS];
} CliEngineOptions;

/* No setting is given, but all can be. */
void cli_engine_options_begin(CliEngineOptions *options);

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

/* Open the model alone (session stays NULL) and find the languages and the task. Anything but
 * CLI_DONE has been reported. */
CliStatus cli_engine_open_model(const CliCommand *command, const CliEngineOptions *options,
                                CliEngine *engine);
/* Whether the model knows the language of a side. Says on standard error if it is the model's own
 * one, which nobody asked for. */
CliStatus cli_engine_check_language(const CliCommand *command, const CliEngine *engine,
                                    mt_stack side);
/* Model and session, and search settings and changes checked against the model. */
CliStatus cli_engine_open(const CliCommand *command, const CliEngineOptions *options,
                          CliEngine *engine);
void cli_engine_clear(CliEngine *engine);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliEngine, cli_engine_clear)

/* The flag for mt_session_capture that the options ask for. */
unsigned cli_engine_capture_flags(const CliEngineOptions *options);

/* What mt_session_capture_part gives of the first hypothesis with the changes of the engine. Says
 * before on standard error how much memory it takes, if that is more than the options say, with
 * `how`, which says how to take less, or NULL. */
mt_capture *cli_engine_capture(const CliCommand *command, CliEngine *engine,
                               const CliEngineOptions *options, const mt_translation *translation,
                               const mt_capture_place *place, unsigned flags, const char *how,
                               mt_error *error);

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

/* What the argument of --model means: a path, or the name of a model that regard-cli models lists.
 * What is neither is given back, for the error to name. Caller frees. */
char *cli_models_resolve(const char *argument);

G_END_DECLS
