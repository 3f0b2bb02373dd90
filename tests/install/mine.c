/* A program of a user's: a search with a reward of its own, by what is installed. */
#include <stdio.h>
#include <string.h>
#include <umf.h>

static int judge(void* context, const char* answer, umf_verdict* verdict) {
  ++*(int*)context;
  umf_judge(verdict, strstr(answer, "return") != NULL ? 1.0 : 0.0, "looks for a return");
  return 0;
}

int main(void) {
  int judged = 0;
  umf_engine* engine;
  char* result;
  umf_callbacks callbacks = {.size = sizeof callbacks, .context = &judged, .reward = judge};
  if (umf_engine_open("{\"threads\": 1}", &engine, &result) != UMF_OK) {
    puts(result);
    return 1;
  }
  umf_status status = umf_solve(engine,
                                "{\"problem\": {\"id\": \"mine\", \"prompt\": \"Write f(s): reverse it, and return "
                                "it.\"}, \"window\": 32, \"budget\": 64}",
                                &callbacks, &result);
  printf("status %d, %d judged, version %s: %s\n", status, judged, umf_version(), result);
  umf_free(result);
  umf_engine_close(engine);
  return status == UMF_OK && judged > 0 ? 0 : 1;
}
