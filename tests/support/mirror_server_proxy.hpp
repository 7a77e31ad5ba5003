#pragma once

#include "support/http_message.hpp"
#include "support/mirror_server_reply.hpp"

namespace cudaenv::test {

// What a forward proxy does with "GET http://host/path" or "CONNECT host:port": passes it on and
// relays until one side ends. 502 where the host can't be reached.
void forward(HttpStream& client, const HttpRequest& request, const MirrorStop& stop);

}  // namespace cudaenv::test
