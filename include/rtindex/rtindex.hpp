#pragma once

/// \file
/// Everything: `#include <rtindex/rtindex.hpp>`.

#include <rtindex/answer.hpp>
#include <rtindex/arrow.hpp>
#include <rtindex/bitmap.hpp>
#include <rtindex/column.hpp>
#include <rtindex/control.hpp>
#include <rtindex/device.hpp>
#include <rtindex/error.hpp>
#include <rtindex/index.hpp>
#include <rtindex/partition.hpp>
#include <rtindex/query.hpp>
#include <rtindex/spec.hpp>
#include <rtindex/threads.hpp>
#include <rtindex/version.hpp>
