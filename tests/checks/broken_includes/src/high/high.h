#pragma once
#include "gone/gone.h"
#include "low/up.h"
