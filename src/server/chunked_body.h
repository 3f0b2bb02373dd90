// A body that comes in chunks, read strictly.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

namespace umf {

// As recv: how many bytes came, 0 at the end, below 0 when a limit was reached.
using ByteSource = std::function<ssize_t(char* to, std::size_t size)>;

enum class BodyEnd { kWhole, kEarly, kTooLarge };

// `size` bytes, appended to `body`; kEarly where there are not as many.
BodyEnd read_bytes(const ByteSource& source, std::size_t size, std::string& body);

// Extensions and trailers are skipped, as long as they are few. Nothing is taken from the source
// behind the body's end. Throws ApiError 400 for chunks that are not framed as HTTP has it.
BodyEnd read_chunks(const ByteSource& source, std::size_t limit, std::string& body);

}  // namespace umf
