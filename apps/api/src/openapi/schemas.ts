import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** Turns zod schemas into JSON Schema 2020-12. One with an `id` among its metadata becomes a component and a reference. */
export function openSchemas() {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    /** What is accepted, for `input`; what is answered, for `output`. */
    describe(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
      // What only code can check, such as an address, has no words in JSON Schema; its description has.
      const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: simplify });
      const { $schema: _dialect, $defs = {}, ...described } = withReferences(made);
      Object.assign(components, $defs);
      return described;
    },
  };
}

/** A format says what its pattern says, and every whole number in JSON is as exact as it can be. */
function simplify({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function withReferences(schema: object): JsonSchema {
  const isId = (key: string, value: unknown) => key === 'id' && typeof value === 'string';
  const text = JSON.stringify(schema, (key, value: unknown) => (isId(key, value) ? undefined : value));
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
}
