/** The link of a portal session. Its token is in the fragment, which browsers do not send to servers. */
export function portalLink(baseUrl: string, linkToken: string): string {
  return `${new URL(baseUrl).origin}/portal/#session=${linkToken}`;
}
