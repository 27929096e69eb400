/** Decodes percent-encoded UTF-8. Returns undefined if the text is malformed. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
