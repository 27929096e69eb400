/** A list of its own for each test: a connection that is about to close may still hear that its database is dropped. */
export function collectErrors(): { errors: Error[]; note: (error: Error) => void } {
  const errors: Error[] = [];
  return { errors, note: (error) => void errors.push(error) };
}
