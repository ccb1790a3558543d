/* mt-layout-marian.c — a model as Marian itself publishes it, and as the OPUS-MT archives hold it.
 *
 *     decoder.yml                  which weights and vocabularies, and how to search
 *     opus….npz                    weights, with their configuration
 *     opus….vocab.yml              one vocabulary, or one each (….src.vocab.yml, ….trg.vocab.yml)
 *     source.spm, target.spm       SentencePiece models
 *
 * decoder.yml may be missing if there is no choice. Names in it are used only if they are names of
 * files in the folder: nothing outside is ever opened.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"
#include "files/mt-yaml.h"
#include "model/mt-layout.h"
#include "model/mt-marian-config.h"
#include "text/mt-vocab.h"

#include <stdio.h>
#include <string.h>

#define DECODER "decoder.yml"
#define WEIGHTS ".npz"

/* While a folder is looked at. */
typedef struct {
  const mt_dir *dir;
  mt_dir_list files;
  const char *decoder_file; /* NULL: there is none */
  mt_yaml decoder;
  char *weights;
  mt_manifest *manifest;
  mt_error *error;
} finder;

/* ---- Names of files -------------------------------------------------------------------------- */

/* How many files end so; *last is the last of them, or NULL. */
static size_t
count_endings(const finder *f, const char *ending, const char **last)
{
  size_t n = 0;
  *last = NULL;
  for (size_t i = 0; i < f->files.n; i++)
    if (mt_dir_list_ends(f->files.names[i], ending)) {
      *last = f->files.names[i];
      n++;
    }
  return n;
}

/* "a.npz, b.npz and 3 more" */
#define LISTED_SIZE 400
static const char *
list_endings(const finder *f, const char *ending, char out[LISTED_SIZE])
{
  size_t used = 0, n = 0, shown = 0;
  out[0] = '\0';
  for (size_t i = 0; i < f->files.n; i++) {
    if (!mt_dir_list_ends(f->files.names[i], ending))
      continue;
    if (n++ < 3 && used < LISTED_SIZE) {
      used += (size_t) snprintf(out + used, LISTED_SIZE - used, "%s%.100s", shown ? ", " : "",
                                f->files.names[i]);
      shown++;
    }
  }
  if (n > shown && used < LISTED_SIZE)
    snprintf(out + used, LISTED_SIZE - used, " and %zu more", n - shown);
  return out;
}

static bool
keep(const finder *f, char **place, const char *name)
{
  *place = mt_strdup(name);
  return *place || mt_fail_no_memory(f->error);
}

static bool
is_listed(const finder *f, const char *name)
{
  for (size_t i = 0; i < f->files.n; i++)
    if (strcmp(f->files.names[i], name) == 0)
      return true;
  return false;
}

/* A file that decoder.yml names. Its author's folder ("/home/…/model.npz") is left out if the file
 * lies here now; a way out of this folder is not taken. */
static bool
keep_named(const finder *f, const char *key, const char *named, char **place)
{
  bool relative = false;
  if (!mt_yaml_get_bool(&f->decoder, "relative-paths", &relative, f->error))
    return false;
  const char *slash = strrchr(named, '/');
  const char *name = slash ? slash + 1 : named;
  bool is_plain = !slash || (slash == named + 1 && named[0] == '.');
  if ((is_plain || !relative) && is_listed(f, name))
    return keep(f, place, name);
  if (is_plain && *name && strcmp(name, "..") != 0 && strcmp(name, ".") != 0)
    return mt_fail(f->error, MT_ERROR_IO,
                   "%s/%.200s: expected this file, which %s names, found nothing there.",
                   f->dir->name, name, f->decoder_file);
  return mt_fail(f->error, MT_ERROR_FORMAT,
                 "%s/%s: expected %s to name files in this folder, found \"%.200s\".", f->dir->name,
                 f->decoder_file, key, named);
}

/* The entry of decoder.yml that must list `min` to `max` files. */
static bool
find_list(const finder *f, const char *key, size_t min, size_t max, size_t *entry)
{
  size_t n = mt_yaml_find(&f->decoder, key, entry) ? mt_yaml_length(&f->decoder, *entry) : 0;
  if (n >= min && n <= max)
    return true;
  if (n > max && max == 1)
    return mt_fail(f->error, MT_ERROR_UNSUPPORTED,
                   "%s/%s: expected one file in %s, found %zu (several models that vote are not "
                   "supported).",
                   f->dir->name, f->decoder_file, key, n);
  return mt_fail(f->error, MT_ERROR_FORMAT, "%s/%s: expected %zu file%s in %s, found %zu.",
                 f->dir->name, f->decoder_file, max, max == 1 ? "" : "s", key, n);
}

/* ---- Which files ----------------------------------------------------------------------------- */

static bool
find_decoder(finder *f)
{
  const char *other;
  if (mt_dir_has(f->dir, DECODER))
    f->decoder_file = DECODER;
  else if (count_endings(f, "." DECODER, &other) == 1)
    f->decoder_file = other;
  return !f->decoder_file || mt_yaml_load(&f->decoder, f->dir, f->decoder_file, f->error);
}

static bool
find_weights(finder *f)
{
  size_t entry;
  if (f->decoder_file)
    return find_list(f, "models", 1, 1, &entry) &&
           keep_named(f, "models", mt_yaml_item(&f->decoder, entry, 0), &f->weights);
  const char *file;
  size_t n = count_endings(f, WEIGHTS, &file);
  if (n == 1)
    return keep(f, &f->weights, file);
  char listed[LISTED_SIZE];
  return mt_fail(f->error, MT_ERROR_IO,
                 "%s: expected %s, or one file of weights (%s), found %s%s%s.", f->dir->name,
                 DECODER, WEIGHTS, n ? "several (" : "none", list_endings(f, WEIGHTS, listed),
                 n ? ")" : "");
}

/* Without decoder.yml: one each, or one for both, of one ending. */
static bool
guess_vocabs(finder *f)
{
  static const struct {
    const char *source, *target, *both;
  } endings[] = {
      {"src.vocab.yml", "trg.vocab.yml", "vocab.yml"},
      {"src.vocab.yaml", "trg.vocab.yaml", "vocab.yaml"},
      {"src.vocab", "trg.vocab", ".vocab"},
      {"src.spm", "trg.spm", "vocab.spm"},
  };
  char **files = f->manifest->vocab_files;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const char *source, *target, *both;
    size_t n = count_endings(f, endings[i].both, &both);
    if (n == 2 && count_endings(f, endings[i].source, &source) == 1 &&
        count_endings(f, endings[i].target, &target) == 1)
      return keep(f, &files[0], source) && keep(f, &files[1], target);
    if (n == 1)
      return keep(f, &files[0], both) && keep(f, &files[1], both);
    char listed[LISTED_SIZE];
    if (n > 1)
      return mt_fail(f->error, MT_ERROR_IO,
                     "%s: expected %s, or one vocabulary, found several (%s).", f->dir->name,
                     DECODER, list_endings(f, endings[i].both, listed));
  }
  return mt_fail(f->error, MT_ERROR_IO, "%s: expected a vocabulary (.vocab.yml), found none.",
                 f->dir->name);
}

static bool
find_vocabs(finder *f)
{
  char **files = f->manifest->vocab_files;
  size_t entry;
  if (!f->decoder_file)
    return guess_vocabs(f);
  if (!find_list(f, "vocabs", 2, 2, &entry))
    return false;
  for (size_t s = 0; s < MT_N_STACKS; s++) {
    if (!keep_named(f, "vocabs", mt_yaml_item(&f->decoder, entry, s), &files[s]))
      return false;
    if (!mt_piece_list_is_known(files[s]))
      return mt_fail(f->error, MT_ERROR_UNSUPPORTED,
                     "%s/%.200s: expected a vocabulary called .yml, .json, .spm or .vocab, found "
                     "another ending.",
                     f->dir->name, files[s]);
  }
  return true;
}

/* source.spm and target.spm, or the vocabularies, if they are SentencePiece models. */
static bool
find_spms(finder *f)
{
  static const char *const names[MT_N_STACKS] = {"source.spm", "target.spm"};
  const char *bpe;
  for (size_t s = 0; s < MT_N_STACKS; s++) {
    const char *vocab = f->manifest->vocab_files[s];
    bool is_spm = mt_dir_list_ends(vocab, ".spm");
    if (!is_spm && !mt_dir_has(f->dir, names[s]) && count_endings(f, ".bpe", &bpe) > 0)
      return mt_fail(f->error, MT_ERROR_UNSUPPORTED,
                     "%s/%.200s: expected SentencePiece models, source.spm and target.spm, found "
                     "codes for subword-nmt (BPE), which are not supported.",
                     f->dir->name, bpe);
    if (!keep(f, &f->manifest->spm_files[s], is_spm ? vocab : names[s]))
      return false;
    if (!mt_dir_has(f->dir, f->manifest->spm_files[s]))
      return mt_fail(f->error, MT_ERROR_IO, "%s/%s: expected this file, found nothing there.",
                     f->dir->name, names[s]);
  }
  return true;
}

/* ---- The layout ------------------------------------------------------------------------------ */

static bool
looks_like_marian(const mt_dir *dir)
{
  mt_dir_list files = {0};
  bool found = mt_dir_has(dir, DECODER);
  if (!found && mt_dir_list_read(&files, dir, NULL))
    for (size_t i = 0; i < files.n; i++)
      found |= mt_dir_list_ends(files.names[i], WEIGHTS) ||
               mt_dir_list_ends(files.names[i], "." DECODER);
  mt_dir_list_clear(&files);
  return found;
}

static bool
load_marian(mt_manifest *manifest, mt_config *config, const mt_dir *dir, mt_error *error)
{
  finder f = {.dir = dir, .manifest = manifest, .error = error};
  bool ok = mt_dir_list_read(&f.files, dir, error) && find_decoder(&f) && find_weights(&f) &&
            find_vocabs(&f) && find_spms(&f);
  if (ok) {
    manifest->container = mt_container_open(dir, f.weights, error);
    ok = manifest->container &&
         mt_marian_config_load(config, &manifest->names, manifest->container,
                               f.decoder_file ? &f.decoder : NULL, dir, error);
  }
  mt_dir_list_clear(&f.files);
  mt_yaml_clear(&f.decoder);
  mt_free(f.weights);
  return ok;
}

const mt_layout mt_layout_marian = {
    .name = "Marian",
    .recognise = looks_like_marian,
    .load = load_marian,
};
