/** The faults that a receiver can simulate. */
export const faults = [
  'hang', // reads the request and never answers
  'hang-body', // answers 200 and never ends the body
  'endless', // answers 200 with an endless body
  'drip', // sends the headers one byte every 200 ms
  'drip-headers', // sends the status at once, then one header after another without end
  'drip-body', // answers 200 and sends the body one byte at a time
  'reset', // resets the connection
  'half-close', // closes its side of the connection and keeps reading
  'garbage', // answers with text that is not HTTP
  'switching', // answers 101 Switching Protocols
  'continue', // answers 100 Continue endlessly
  'early-hints', // answers 103, 102 and then 200
  'redirect', // answers 302 to its own /redirected
  'headers', // answers 200 with endless headers
  'many-headers', // answers 200 with 2,500 headers
  'long-header', // answers 200 with a header of 64 KiB
  'cut-headers', // resets the connection in the middle of the headers
  'cut-body', // answers 200 and resets the connection in the middle of the body
  'status-99', // answers with a status of two digits
  'status-999', // answers with a status that does not exist
  'two-lengths', // answers 200 with Content-Length and Transfer-Encoding
  'body-after-204', // answers 204 with a body
  'bad-chunk', // answers 200 with a chunk whose size is not a number
  'gzip-bomb', // answers 200 with 64 KiB that unpack to 64 MiB
  'nul', // answers 200 with a body that contains NUL and invalid UTF-8
] as const;

export type Fault = (typeof faults)[number];
