/* regard-model-card.c — what a model's card says: the languages and the licence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cards are written by hand and by many. What is looked for stands at the start of a line; the rest
 * is skipped. A card is YAML between two lines "---", then Markdown; `language:` there is a sorted
 * set and says no direction, so languages come from the list below it.
 */
#include "models/regard-model-card.h"

#include "models/regard-language.h"
#include <string.h>

/* A line that is longer holds no language and no licence. */
#define MOST_LINE    4000
#define MOST_VALUE   2000
#define MOST_LICENCE 60
#define MOST_NAME    60

void
regard_model_card_clear(RegardModelCard *card)
{
  g_free(card->source);
  g_free(card->target);
  g_free(card->licence);
  g_free(card->name);
  *card = (RegardModelCard){0};
}

/* ---- Licences ------------------------------------------------------------------------------ */

/* Hugging Face writes identifiers in small letters; people know them in capitals. */
static char *
licence_name(const char *id)
{
  static const char *const families[] = {"cc",  "cc0", "gpl",  "lgpl", "agpl", "mit",
                                         "bsd", "mpl", "eupl", "gfdl", "epl"};
  if (g_ascii_strcasecmp(id, "apache-2.0") == 0)
    return g_strdup("Apache-2.0");
  gsize first = strcspn(id, "-");
  for (guint i = 0; i < G_N_ELEMENTS(families); i++)
    if (strlen(families[i]) == first && g_ascii_strncasecmp(id, families[i], first) == 0) {
      g_autofree char *head = g_ascii_strup(id, i < 2 ? -1 : (gssize) first);
      return i < 2 ? g_steal_pointer(&head) : g_strconcat(head, id + first, NULL);
    }
  return g_strdup(id);
}

/* Without the quotes that YAML allows. Caller frees. */
static char *
unquoted(const char *value)
{
  char *text = g_strstrip(g_strdup(value));
  gsize length = strlen(text);
  if (length >= 2 && (*text == '"' || *text == '\'') && text[length - 1] == *text) {
    text[length - 1] = '\0';
    memmove(text, text + 1, length - 1);
  }
  return text;
}

static void
take_name(RegardModelCard *card, const char *value)
{
  g_autofree char *name = unquoted(value);
  if (!card->name && *name && strlen(name) <= MOST_NAME)
    card->name = g_steal_pointer(&name);
}

static void
take_licence(RegardModelCard *card, const char *value)
{
  g_autofree char *id = unquoted(value);
  if (!card->licence && *id && strlen(id) <= MOST_LICENCE)
    card->licence = licence_name(id);
}

void
regard_model_card_read_licence(RegardModelCard *card, const char *text, gsize length)
{
  static const struct {
    const char *words, *name;
  } texts[] = {
      {"Attribution 4.0 International", "CC-BY-4.0"},
      {"Attribution-ShareAlike 4.0 International", "CC-BY-SA-4.0"},
      {"Attribution-NonCommercial 4.0 International", "CC-BY-NC-4.0"},
      {"Apache License", "Apache-2.0"},
      {"MIT License", "MIT"},
      {"GNU GENERAL PUBLIC LICENSE", "GPL"},
      {"CC0 1.0 Universal", "CC0-1.0"},
  };
  g_autofree char *head = g_strndup(text, MIN(length, 1000));
  for (guint i = 0; !card->licence && i < G_N_ELEMENTS(texts); i++)
    if (strstr(head, texts[i].words))
      card->licence = g_strdup(texts[i].name);
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* After "KEY:", "KEYs:", "KEY(s):", in whatever letters; NULL if the line says something else. */
static const char *
value_of(const char *line, const char *key)
{
  gsize n = strlen(key);
  if (g_ascii_strncasecmp(line, key, n) != 0)
    return NULL;
  line += n;
  if (g_ascii_strncasecmp(line, "(s)", 3) == 0)
    line += 3;
  else if (g_ascii_strncasecmp(line, "s", 1) == 0)
    line += 1;
  while (*line == ' ')
    line++;
  return *line == ':' ? line + 1 : NULL;
}

static void
take_languages(char **languages, const char *value)
{
  g_autofree char *codes = g_strstrip(g_strdup(value));
  if (!*languages && *codes && strlen(codes) <= MOST_VALUE)
    *languages = g_steal_pointer(&codes);
}

/* "* **Source Language(s):** `eng`": the marks of Markdown say nothing here. */
static void
read_list_item(RegardModelCard *card, char *line)
{
  char *to = line;
  for (const char *from = line; *from; from++)
    if (*from != '*' && *from != '`')
      *to++ = *from;
  *to = '\0';
  while (*line == ' ' || *line == '\t' || *line == '-')
    line++;
  const char *value = value_of(line, "source language");
  if (value)
    take_languages(&card->source, value);
  value = value_of(line, "target language");
  if (value)
    take_languages(&card->target, value);
}

void
regard_model_card_read(RegardModelCard *card, const char *text, gsize length)
{
  const char *end = text + length;
  gboolean is_yaml = FALSE, wants_licence = FALSE;
  guint n_lines = 0;
  while (text < end) {
    const char *newline = memchr(text, '\n', (gsize) (end - text));
    gsize n = (gsize) ((newline ? newline : end) - text);
    const char *start = text;
    text = newline ? newline + 1 : end;
    n_lines++;
    if (n > MOST_LINE)
      continue;
    g_autofree char *line = g_strndup(start, n);
    g_strchomp(line);
    if (g_str_equal(line, "---") && (n_lines == 1 || is_yaml))
      is_yaml = !is_yaml;
    else if (!is_yaml)
      read_list_item(card, line);
    else if (g_str_has_prefix(line, "pretty_name:"))
      take_name(card, line + strlen("pretty_name:"));
    else if (g_str_has_prefix(line, "license:")) {
      take_licence(card, line + strlen("license:"));
      wants_licence = !card->licence; /* a list follows */
    } else if (wants_licence) {
      const char *item = line + strspn(line, " ");
      if (g_str_has_prefix(item, "- "))
        take_licence(card, item + 2);
      wants_licence = FALSE;
    }
  }
}

/* ---- Names --------------------------------------------------------------------------------- */

static gboolean
is_language(const char *code)
{
  g_autofree char *name = regard_language_name(code);
  return *code && !g_str_equal(name, code);
}

void
regard_model_card_read_name(RegardModelCard *card, const char *name)
{
  static const char *const prefixes[] = {"opus-mt-", "opus-", "tatoeba-", "tc-",
                                         "tiny-",    "base-", "big-",     "bible-"};
  if (card->source && card->target)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
    if (g_ascii_strncasecmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
      name += strlen(prefixes[i]);
      i = (guint) -1; /* again from the start: "opus-mt-tc-big-" */
    }
  g_auto(GStrv) codes = g_strsplit(name, "-", 3);
  if (g_strv_length(codes) != 2 || !is_language(codes[0]) || !is_language(codes[1]))
    return;
  take_languages(&card->source, codes[0]);
  take_languages(&card->target, codes[1]);
}
