/* UnMaskFork as a library: searches with masked diffusion language models, for programs in any
 * language.
 *
 * Requests and results are JSON texts in UTF-8. Keys of a request are the options of the command
 * line without their dashes ("budget", "stop-at-reward", "model"), with the same meaning and the
 * same defaults; `umf solve --help` and `umf generate --help` describe them. Options that may be
 * repeated take lists. A key that is not known is an error.
 *
 *     umf_engine* engine;
 *     char* text;
 *     umf_engine_open("{\"threads\": 4}", &engine, &text);
 *     umf_status status = umf_solve(engine, request, NULL, &text);
 *     printf(status == UMF_OK ? "%s\n" : "error: %s\n", text);
 *     umf_free(text);
 *     umf_engine_close(engine);
 *
 * Errors are values: every function that can fail returns a status, and its `result` is then the
 * message: what was wrong, where, and what to do. The library prints nothing, changes no signal
 * handlers and never ends the process.
 *
 * Threads: any function may be called on any thread at any time. Calls on one engine at the same
 * time do not wait for each other; a callback may call the library again. Callbacks of a call run
 * on the thread that made the call, one at a time, whatever threads the work itself uses.
 */
#ifndef UMF_H
#define UMF_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define UMF_API __attribute__((visibility("default")))
#else
#define UMF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Functions are added, never changed, while this number stays. */
#define UMF_ABI 1

typedef enum umf_status {
  UMF_OK = 0,
  UMF_ERROR = 2, /* a wrong request or a broken environment; the message says what to do */
  UMF_INTERRUPTED =
      130, /* a callback asked to stop; `result` is what was found until then, or empty */
} umf_status;

/* The version of the library, as "0.1.0". Lives for ever. */
UMF_API const char* umf_version(void);

/* Gives back a text that a function gave. NULL is allowed. */
UMF_API void umf_free(char* text);

/* What this library is and what there is to choose from: {"version","commit","compiler","models",
 * "searches","presets","rewards","backends","examples"}; the latter are lists of objects with a
 * "name" and what is known of it. */
UMF_API umf_status umf_describe(char** result);

/* ---- Callbacks ---- */

/* What a reward says of an answer; filled by umf_judge(). */
typedef struct umf_verdict umf_verdict;

/* Inside a reward callback: the answer's reward, from 0 to 1, and why, in words for people (NULL
 * for none; copied). NaN says that this answer could not be judged; three of these in a row end a
 * search. */
UMF_API void umf_judge(umf_verdict* verdict, double reward, const char* why);

typedef struct umf_progress {
  int64_t done,
      total; /* forward passes of the budget or of the window; samples where answers are graded */
} umf_progress;

/* Each may be NULL, and so may the whole. Each returns 0 to go on; with any other value the call
 * ends soon, with UMF_INTERRUPTED. */
typedef struct umf_callbacks {
  size_t size; /* sizeof(umf_callbacks): a library that knows more fields takes those behind it for
                  NULL */
  void* context; /* given to each */
  /* Judges an answer by umf_judge(), in place of the problem's "reward". Each text is asked for
   * once; zero bytes in it are U+FFFD, as other bytes are that are no text. */
  int (*reward)(void* context, const char* answer, umf_verdict* verdict);
  /* One JSON object for each thing that happened: rollouts of umf_solve() as `umf solve --trace`
   * writes them (docs/formats.md), with the "text" of new ones; passes of umf_generate() as `umf
   * generate --trace` does; samples of umf_grade(). */
  int (*event)(void* context, const char* json);
  /* How far the call is, some twenty times a second, also while nothing happens: a place to look
   * for interrupts. */
  int (*progress)(void* context, const umf_progress* progress);
} umf_callbacks;

/* ---- Models ---- */

/* Models on a backend, loaded when first used and kept until the engine is closed. */
typedef struct umf_engine umf_engine;

/* `options` describe the machine: "backend", "device", "devices", "place", "threads", "cpu-target",
 * "workers", "memory-limit", "strict-config", "unsafe-no-sandbox"; NULL or "{}" for the defaults.
 * "devices" is a text as "0-3" or a list of numbers; calls at the same time begin on different
 * ones. Nothing is loaded yet. On UMF_OK `*result` is NULL. */
UMF_API umf_status umf_engine_open(const char* options, umf_engine** engine, char** result);

/* No call on the engine may be running. NULL is allowed. */
UMF_API void umf_engine_close(umf_engine* engine);

/* Describes a model and checks that it can be opened:
 * {"name","family","vocabulary","max_length","window","mask",
 * "end_of_text","ends","fingerprint","parameters","backend","warnings"}. `model` is WHERE or
 * NAME=WHERE: an embedded model, a directory, a *.gguf file or org/name in the local hub cache. */
UMF_API umf_status umf_model(umf_engine* engine, const char* model, char** result);

/* Text to ids and back. The request has "model" and one of: "text", with "special": false to take
 * the text of special tokens for text; "messages", a list of {"role","content"}, as the model's
 * chat template puts them; "tokens", a list of ids, with "special": false to leave special tokens
 * out. Gives {"tokens"} or, for ids, {"text"}. */
UMF_API umf_status umf_tokenize(umf_engine* engine, const char* request, char** result);

/* What the model says about positions of a sequence, from one forward pass: (positions, vocabulary)
 * numbers, row by row; row i is about positions[i], also in families whose outputs are shifted.
 * `positions` may be NULL for all positions in order. `rows` has room for `room` numbers,
 * umf_model()'s "vocabulary" for each position. On UMF_OK
 * `*result` is NULL. */
UMF_API umf_status umf_logits(umf_engine* engine, const char* model, const int32_t* tokens,
                              size_t length, const int32_t* positions, size_t count, float* rows,
                              size_t room, char** result);

/* One plain decoding. The request has the options of `umf generate` ("model", "length",
 * "temperature", ...) and one of "prompt" (text: the user's message, or as it is with "raw": true;
 * "system" may stand beside it), "messages" and "prompt-tokens" (a list of ids); "chat-template", a
 * text, in place of the model's own. Gives what `umf generate --json` prints. Events are passes. */
UMF_API umf_status umf_generate(umf_engine* engine, const char* request,
                                const umf_callbacks* callbacks, char** result);

/* ---- Searches ---- */

/* Searches for the best answer to one problem. The request has "problem", an object as in a problem
 * file (its "reward" may be left out where there is a reward callback), and the options of `umf
 * solve` that say how to search. Gives what `umf solve --json` prints, also with UMF_INTERRUPTED.
 * Events are rollouts. */
UMF_API umf_status umf_solve(umf_engine* engine, const char* request,
                             const umf_callbacks* callbacks, char** result);

/* A search over a world of the caller's own: it says what to try, and is told what came of it. A
 * walk begins in a state, stays with one action and makes steps until it is at an end; what an end
 * is worth is the reward. States are numbers that the caller gives: 0 is the root, equal states
 * have equal numbers. */
typedef struct umf_search umf_search;

/* `options`: "actions" (how many there are; the first is the strongest), "steps" (from the root to
 * an end), "search", "seed", "budget" (in steps; without it there is no end but exhaustion),
 * "budget-policy" (finish without it), "no-cache", "stop-at-reward", and the options of the
 * searches, as for `umf solve`. On UMF_OK `*result` is NULL. */
UMF_API umf_status umf_search_open(const char* options, umf_search** search, char** result);

/* What to walk next: a list of at most `at_most`
 * {"from","action","draw","steps","limit","certain"}. The first is what the search waits for; the
 * others are what it will probably ask for next, so that they can be walked at the same time, and
 * "certain" says whether it will for sure. "draw" 0 is the walk that the state and the action
 * determine; others are fresh samples, by number. At most "limit" steps may be made of the "steps"
 * that are left. An empty list: the search has ended. Asking again gives again what was not told
 * yet. */
UMF_API umf_status umf_search_ask(umf_search* search, int at_most, char** result);

/* What came of a trial: its "from", "action" and "draw"; "states", after each step, the end last,
 * and empty where the action cannot be applied; "reward" (null where it could not be judged) and
 * "why". Trials may be told in any order: the search goes on as if they had been walked one by one.
 * On UMF_OK `*result` is NULL. */
UMF_API umf_status umf_search_tell(umf_search* search, const char* outcome, char** result);

/* What was found so far:
 * {"ended","stopped","reward","why","best":{"states","actions","iteration"},"nfe","rollouts",
 * "hits","misses"}. */
UMF_API umf_status umf_search_result(const umf_search* search, char** result);

/* Ends it. NULL is allowed. */
UMF_API void umf_search_close(umf_search* search);

/* ---- Answers and runs ---- */

/* Judges answers that exist already. The request has "dataset" and "samples", file names, and the
 * options of `umf grade`. Gives {"samples":[{"id","passed","reward","why"}],"summary":{...}}.
 * Events are samples. */
UMF_API umf_status umf_grade(const char* request, const umf_callbacks* callbacks, char** result);

/* The run directory of `umf bench`, finished or running: {"config","summary","rows"}, where rows
 * are results as in results.jsonl, one for each problem, configuration and budget. Writes nothing
 * there. */
UMF_API umf_status umf_run(const char* directory, char** result);

#ifdef __cplusplus
}
#endif

#endif
