/* trainer.h — a training: its learning rate, its machines, and the trainer. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_TRAINER_H
#define MT_PUBLIC_TRAIN_TRAINER_H

#include <mt.h>
#include <mt/train/dataset.h>
#include <mt/train/dtype.h>
#include <mt/train/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The learning rate ----------------------------------------------------------------------- */

typedef enum {
  /* Equation 3: rate · d_model^-0.5 · min(step^-0.5, step · warmup^-1.5) */
  MT_SCHEDULE_NOAM,
  /* The same curve by its peak: rate · min(step / warmup, sqrt(warmup / step)) */
  MT_SCHEDULE_INVERSE_SQRT,
  /* rate, after a linear warm-up */
  MT_SCHEDULE_CONSTANT,
} mt_schedule_kind;

typedef struct {
  mt_schedule_kind kind;
  double rate;     /* above 0 */
  uint64_t warmup; /* steps in which it rises; 0: none */
  uint64_t steps;  /* of the whole run */
  /* The last part of the run, 0..1, in which the rate falls in a straight line, to 0 one step after
   * the last. */
  double cooldown;
} mt_schedule;

/* Of Adam (Kingma and Ba 2015). */
typedef struct {
  double beta1, beta2; /* 0.9 and 0.98 in the paper */
  double epsilon;      /* 1e-9 */
  double clip;         /* the gradient's norm is at most this; 0: as it is */
} mt_adam_options;

/* Step counts from 1. */
double mt_schedule_rate(const mt_schedule *schedule, size_t d_model, uint64_t step);

/* ---- Several machines ------------------------------------------------------------------------ */

typedef struct mt_comm mt_comm;

/* Join the others that mpirun started; once a process. NULL: MT_ERROR_UNSUPPORTED in a build
 * without MPI, MT_ERROR_IO, MT_ERROR_NO_MEMORY. All functions that take one take NULL for a run of
 * one. */
mt_comm *mt_comm_join(mt_error *error);
/* All ranks together; then the process can end. */
void mt_comm_leave(mt_comm *comm);
/* End all ranks at once, whatever they wait for. Does not return if there are any. */
void mt_comm_abort(mt_comm *comm);

unsigned mt_comm_rank(const mt_comm *comm); /* from 0 */
unsigned mt_comm_size(const mt_comm *comm);

/* ---- The trainer ----------------------------------------------------------------------------- */

/* A training, from a prepared folder to a model; the paper, section 5.
 *
 * In the output folder: checkpoints ("step-00000100"), and at the end "model", a Marian directory
 * with the mean of the last checkpoints. */

typedef struct {
  const char *source; /* its name in the prepared folder */
  double weight;
} mt_trainer_weight;

/* Strings and arrays are borrowed, and must live as long as the trainer. */
typedef struct {
  const char *data;       /* prepared folder */
  const char *output;     /* made if it is not there; its parent must be */
  const char *start_from; /* a model whose parameters to begin with; NULL: random ones */
  /* vocab_size is that of the data. With start_from the shape is the model's; one that is_given
   * must be the same. */
  mt_network_config network;
  bool shape_is_given;
  /* Instead of the weights in the prepared folder; the others keep theirs. */
  const mt_trainer_weight *weights;
  size_t n_weights;
  /* Source and target tokens of a batch together, </s> included; at least 2. */
  size_t batch_tokens;
  size_t sort_batches; /* so many batches are sorted by length together; 0: not sorted */
  size_t accumulate;   /* batches of one step, on each machine */
  mt_schedule schedule;
  mt_adam_options adam;
  uint64_t seed;
  unsigned n_threads; /* 0: as many as there are cores */
  /* Checkpoints: every so many steps (0: not), after these steps, and after the last one. */
  uint64_t save_every;
  const uint64_t *save_at; /* any order; 0 is before the first step */
  size_t n_save_at;
  size_t keep;             /* this many of save_every; those of save_at always stay. 0: all */
  size_t average;          /* checkpoints whose mean the final model is; 1: the last one */
  uint64_t validate_every; /* steps; 0: only at the end */
  size_t validate_pairs;   /* held-out pairs for the loss; 0: all */
  size_t translate_pairs;  /* … that are translated for BLEU and chrF; 0: none */
  size_t num_beams;        /* what generation_config.json says; validation is greedy */
  mt_dtype dtype;          /* of the weights in checkpoints: F16 or F32 */
  bool resume;             /* go on from the newest checkpoint, if there is one */
} mt_trainer_config;

/* What the paper and the bundled model have; data, output and schedule.steps are to be set. */
mt_trainer_config mt_trainer_config_default(void);

/* One update. */
typedef struct {
  uint64_t step;        /* from 1 */
  double smoothed_loss; /* per target token, what was minimised */
  double loss;          /* per target token: negative log-likelihood */
  double learning_rate;
  double gradient_norm;      /* before clipping */
  size_t n_source, n_target; /* tokens, all machines together */
  uint64_t epoch;            /* from 0 */
} mt_trainer_step;

typedef struct {
  uint64_t step;
  bool is_average; /* of the final model */
  double loss;     /* per target token of the held-out pairs; exp of it is the perplexity */
  mt_health_summary health;
  size_t n_encoder_layers;
  double bleu, chrf; /* NAN if nothing was translated */
  size_t n_translated;
} mt_trainer_validation;

/* One point in time, as remembered in checkpoints. NAN: not known at this step. */
typedef struct {
  uint64_t step;        /* updates made; rises from record to record */
  double loss;          /* of training, nats a target token, the mean of some steps */
  double learning_rate; /* of this step */
  double valid_loss;    /* of the held-out pairs, nats a target token */
  double valid_bleu;    /* of the held-out pairs, 0 … 100 */
} mt_trainer_record;

/* What happens while it runs, on the calling thread of rank 0. Each may be NULL. */
typedef struct {
  void (*on_step)(void *user, const mt_trainer_step *step);
  void (*on_validation)(void *user, const mt_trainer_validation *validation);
  void (*on_checkpoint)(void *user, uint64_t step, const char *path);
  /* The whole training so far, n records, after each validation and each checkpoint, and when
   * it goes on: for a picture of it. False ends it with the error that was set. */
  bool (*on_history)(void *user, const mt_trainer_record *records, size_t n, mt_error *error);
  void (*on_note)(void *user, const char *sentence); /* something to be known, no error */
  bool (*should_stop)(void *user);                   /* asked between steps; on every rank */
  void *user;
} mt_trainer_events;

typedef struct mt_trainer mt_trainer;

/* Everything up to the first step: the data is read, the network made, a checkpoint found. comm:
 * NULL for one machine. Errors: those of all that; MT_ERROR_IO if there are checkpoints and resume
 * is not asked for. */
mt_trainer *mt_trainer_new(const mt_trainer_config *config, const mt_trainer_events *events,
                           mt_comm *comm, mt_error *error);
void mt_trainer_free(mt_trainer *trainer);

/* To the last step, or until should_stop: then MT_ERROR_CANCELLED, with a checkpoint. A number that
 * is not finite ends it with MT_ERROR_FORMAT, naming step and tensor; a full disk with MT_ERROR_IO.
 * Checkpoints written before are as good as they were. */
bool mt_trainer_run(mt_trainer *trainer, mt_error *error);

/* Of the network, as it was made. Borrowed. */
const mt_network_config *mt_trainer_get_shape(const mt_trainer *trainer);
/* Numbers that are trained; one that is used twice counts once. */
size_t mt_trainer_count_parameters(const mt_trainer *trainer);
/* The data, borrowed. */
const mt_dataset *mt_trainer_get_dataset(const mt_trainer *trainer);
uint64_t mt_trainer_get_step(const mt_trainer *trainer); /* updates made */
/* Batches of the epoch it is in. */
size_t mt_trainer_count_batches(const mt_trainer *trainer);

#ifdef __cplusplus
}
#endif
#endif
