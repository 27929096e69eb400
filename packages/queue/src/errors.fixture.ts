/**
 * Creates a new list of errors, one for each test: a connection that closes after its test may still report that its
 * database was dropped.
 */
export function collectErrors(): { errors: Error[]; addError: (error: Error) => void } {
  const errors: Error[] = [];
  return { errors, addError: (error) => void errors.push(error) };
}
