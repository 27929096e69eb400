/** Decodes percent-encoded UTF-8. Undefined when the text is not that. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
