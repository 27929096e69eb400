/** A new list of errors for each test, because a closing connection may still report that its database was dropped. */
export function collectErrors(): { errors: Error[]; note: (error: Error) => void } {
  const errors: Error[] = [];
  return { errors, note: (error) => void errors.push(error) };
}
