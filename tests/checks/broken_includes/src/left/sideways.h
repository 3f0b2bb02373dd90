#pragma once
#include "right/right.h"
