export type SessionTokens = ReturnType<typeof createSessionTokens>;

/**
 * Creates the store of the session's bearer token and of all link tokens that were used so far. They are only in
 * memory.
 */
export function createSessionTokens() {
  let bearer = '';
  const links: string[] = [];
  return {
    bearerToken: () => bearer,
    /** The newest link token. */
    linkToken: () => links.at(-1),
    hasUsedLink: (linkToken: string) => links.includes(linkToken),
    set: (bearerToken: string, linkToken: string) => {
      bearer = bearerToken;
      links.push(linkToken);
    },
  };
}
