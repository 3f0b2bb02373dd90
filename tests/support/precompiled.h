// What most tests include, read by the compiler once for all of them (cmake/precompiled.cmake).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/precompiled.h"
