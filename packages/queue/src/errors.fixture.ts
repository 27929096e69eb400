/** A new list of errors for each test, because a closing connection may still report that its database was dropped. */
export function collectErrors(): { errors: Error[]; addError: (error: Error) => void } {
  const errors: Error[] = [];
  return { errors, addError: (error) => void errors.push(error) };
}
