/**
 * A statement under a name: PostgreSQL parses and plans it once for each connection. For those that run all the time.
 */
export const statement = (name: string, text: string) => (values: unknown[]) => ({
  name: `ringback_${name}`,
  text,
  values,
});
