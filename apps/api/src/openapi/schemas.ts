import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Creates a converter from zod schemas to JSON Schema 2020-12. A schema with an `id` in its metadata is added to
 * `components` and referenced.
 */
export function createSchemaConverter() {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    /** `input` describes accepted values, `output` returned ones. */
    describe(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
      // JSON Schema cannot express a check that is written in code, such as that of a uri. The description of the field
      // states such a check.
      const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: simplify });
      const { $schema: _dialect, $defs = {}, ...described } = toOpenApiSchema(converted);
      Object.assign(components, $defs);
      return described;
    },
  };
}

/** Removes the pattern beside a format, and the bounds that zod adds to every integer. */
function simplify({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Changes references to those of an OpenAPI document, and removes the ids of schemas. */
function toOpenApiSchema(schema: object): JsonSchema {
  const isId = (key: string, value: unknown) => key === 'id' && typeof value === 'string';
  const text = JSON.stringify(schema, (key, value: unknown) => (isId(key, value) ? undefined : value));
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
}
