#include "ccurfew.h"

static struct curfew_front front;

struct curfew_front *curfew_front(void) { return &front; }
