/**
 * Whether a response passes the challenge: its status is 200, and its body is the challenge, as text or JSON, or a JSON
 * object that has it as `challenge`.
 */
export function passesChallenge(status: number, bodyText: string, challenge: string): boolean {
  if (status !== 200) return false;
  const text = bodyText.trim();
  return text === challenge || readChallenge(text) === challenge;
}

/** The member `challenge` of a JSON object that has one; otherwise the JSON value, or undefined if it is not JSON. */
function readChallenge(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'challenge'))
      return Reflect.get(value, 'challenge');
    return value;
  } catch {
    return undefined;
  }
}
