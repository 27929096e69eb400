type StatementParameters = Record<string, unknown>;

/** Replaces named parameters with `$1`, `$2`, …, and returns the names in that order. */
function numberParameters(text: string): { text: string; names: string[] } {
  const names: string[] = [];
  const numbered = text.replace(/\$([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}

function valuesOf(names: string[], parameters: StatementParameters): unknown[] {
  return names.map((name) => {
    if (!(name in parameters)) throw new Error(`the parameter $${name} of a statement has no value`);
    return parameters[name];
  });
}

/**
 * Defines a statement whose text names its parameters, as in `WHERE id = $id`. The returned function makes pg's query
 * from their values. PostgreSQL parses and plans the statement at each execution.
 */
export function unpreparedStatement<Values extends StatementParameters>(namedText: string) {
  const { text, names } = numberParameters(namedText);
  return (parameters: Values) => ({ text, values: valuesOf(names, parameters) });
}

/**
 * Like `unpreparedStatement`, for statements that run often: each connection parses the text once, and may reuse the
 * plan.
 */
export function preparedStatement<Values extends StatementParameters>(name: string, namedText: string) {
  const { text, names } = numberParameters(namedText);
  return (parameters: Values) => ({ name: `ringback_${name}`, text, values: valuesOf(names, parameters) });
}
