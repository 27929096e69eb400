/** Whether an error's code says that a server cannot be reached, or that the connection to it broke. */
export const isNetworkErrorCode = (code: string): boolean =>
  /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EMFILE|ENOTFOUND|EAI_AGAIN)$/.test(code);
