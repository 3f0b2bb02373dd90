#pragma once
#include "low/up.h"
