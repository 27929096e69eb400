/** The faults that a receiver can simulate. */
export const faults = [
  'hang', // reads the request and never responds
  'hang-body', // responds with 200 and never ends the body
  'endless', // responds with 200 with an endless body
  'drip', // sends the status and the headers, one byte every 200 ms
  'drip-headers', // sends the status at once, then one header after another without end
  'drip-body', // responds with 200 and sends the body one byte at a time
  'reset', // resets the connection
  'half-close', // closes its side of the connection and keeps reading
  'garbage', // responds with text that is not HTTP
  'switching', // responds with 101 Switching Protocols
  'continue', // responds with 100 Continue endlessly
  'early-hints', // responds with 103, 102 and then 200
  'redirect', // responds with 302 to its own /redirected
  'headers', // responds with 200 with endless headers
  'many-headers', // responds with 200 with over 2,500 headers
  'long-header', // responds with 200 with a header of 64 KiB
  'cut-headers', // resets the connection in the middle of the headers
  'cut-body', // responds with 200 and resets the connection in the middle of the body
  'status-99', // responds with a status of two digits
  'status-999', // responds with a status that does not exist
  'two-lengths', // responds with 200 with Content-Length and Transfer-Encoding
  'body-after-204', // responds with 204 with a body
  'bad-chunk', // responds with 200 with a chunk whose size is not a number
  'gzip-bomb', // responds with 200 with about 64 KiB that unpack to 64 MiB
  'nul', // responds with 200 with a body that contains NUL and invalid UTF-8
] as const;

export type Fault = (typeof faults)[number];
