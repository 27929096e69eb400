export type SessionTokens = ReturnType<typeof createSessionTokens>;

/** Keeps the bearer of the session, and the links that it came from, in memory and nowhere else. */
export function createSessionTokens() {
  let token = '';
  const links: string[] = [];
  return {
    get: () => token,
    /** The newest link token. */
    linkToken: () => links.at(-1),
    hasUsedLink: (linkToken: string) => links.includes(linkToken),
    set: (value: string, linkToken: string) => {
      token = value;
      links.push(linkToken);
    },
  };
}
