const hidden = '[secret]';
// Less is no secret, and would hide much that is none.
const shortest = 4;

/**
 * An answer as it may be kept: a receiver that shows the token it was sent is not taken at its word. Finds it as it is
 * and as JSON writes it, also where the answer was cut off in its midst.
 */
export function hideBearer(answer: string, bearer: string): string {
  if (bearer.length < shortest) return answer;
  const forms = new Set([bearer, JSON.stringify(bearer).slice(1, -1)]);
  return [...forms].reduce(
    (text, form) =>
      hideTail(
        text.replaceAll(form, () => hidden),
        form,
      ),
    answer,
  );
}

function hideTail(text: string, form: string): string {
  for (let length = Math.min(form.length - 1, text.length); length >= shortest; length--) {
    if (text.endsWith(form.slice(0, length))) return `${text.slice(0, -length)}${hidden}`;
  }
  return text;
}
