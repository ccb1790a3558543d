/* mt-train.h — the public interface of training: from text to a model. Beside mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `regard-train` is made of. Text goes the way of these headers: lines of files, a tokenizer
 * learned from them and ids (text.h), a prepared folder (dataset.h); a trainer turns that folder
 * into checkpoints and a model (trainer.h); models are averaged (average.h) and translations scored
 * (scores.h). The paper, section 5.
 *
 * The conventions are those of mt.h: shapes are [rows][columns], `_new` and `_open` return what you
 * own, every `_free` accepts NULL, failure is NULL or false with *error filled in. Sides are
 * MT_STACK_ENCODER (source) and MT_STACK_DECODER (target). Losses are natural logarithms for each
 * target token; BLEU and chrF are in 0 … 100.
 *
 * It is a library of its own, which also needs OpenBLAS, zlib, liblzma, and OpenMPI if it was built
 * with that: programs that only translate include mt.h and link none of it.
 */
#ifndef MT_TRAIN_H
#define MT_TRAIN_H

#include <mt.h>

/* Text. */
#include <mt/train/dataset.h>
#include <mt/train/draws.h>
#include <mt/train/new-dir.h>
#include <mt/train/text.h>

/* A training. */
#include <mt/train/dtype.h>
#include <mt/train/error.h>
#include <mt/train/network.h>
#include <mt/train/trainer.h>

/* What came of it. */
#include <mt/train/average.h>
#include <mt/train/scores.h>

#endif
