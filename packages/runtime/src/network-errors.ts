/**
 * Whether an error's code says that a server cannot be reached, that the connection to it broke, or that this process
 * has no file descriptor left for a connection (EMFILE).
 */
export const isNetworkErrorCode = (code: string): boolean =>
  /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EMFILE|ENOTFOUND|EAI_AGAIN)$/.test(code);
