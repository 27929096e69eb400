import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Converts zod schemas to JSON Schema 2020-12, in the forms that client generators know. A schema with an `id` in its
 * metadata is added to `components` and referenced.
 */
export class SchemaConverter {
  readonly components: Record<string, JsonSchema> = {};

  /**
   * `isLenient`: for the tests, a schema with `documentedAs` describes all values that the API accepts, as far as JSON
   * Schema can.
   */
  constructor(private readonly isLenient = false) {}

  /** `input` describes accepted values, `output` returned ones. */
  describe(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // JSON Schema cannot express a check that is written in code, such as that of a uri. The description of the field
    // states such a check.
    const override = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
      useDocumentedForm(jsonSchema, this.isLenient);
      simplify(jsonSchema, io);
    };
    const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
    const { $schema: _dialect, $defs = {}, ...described } = toOpenApiSchema(converted);
    Object.assign(this.components, $defs);
    return described;
  }
}

/** An object with any fields. Generators make a map of it. */
export const anyObject = { type: 'object', additionalProperties: true } as const;
/** Such an object, or null. */
export const anyObjectOrNull = { anyOf: [anyObject, { type: 'null' }] } as const;

/**
 * Replaces a schema by its metadata `documentedAs`: the one form of several accepted ones that the document shows,
 * because many languages have no type for several. The description says what else is accepted.
 */
function useDocumentedForm(jsonSchema: z.core.JSONSchema.BaseSchema, isLenient: boolean): void {
  const { documentedAs, id, description } = jsonSchema;
  if (typeof documentedAs !== 'object' || documentedAs === null) return;
  for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword);
  Object.assign(jsonSchema, isLenient ? {} : documentedAs, id && { id }, description && { description });
}

/**
 * Removes what zod adds to a reference and to every integer, the pattern beside a format, and default objects, and
 * writes constants as enumerations. Returned objects may have fields that the document does not name: any version may
 * add some.
 */
function simplify(jsonSchema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  if (jsonSchema.$ref !== undefined) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (typeof jsonSchema.default === 'object') delete jsonSchema.default;
  if (jsonSchema.const !== undefined) {
    if (typeof jsonSchema.const !== 'boolean') jsonSchema.enum = [jsonSchema.const];
    delete jsonSchema.const;
  }
  if (jsonSchema.type === 'number' && jsonSchema.enum?.every(Number.isInteger)) jsonSchema.type = 'integer';
  if (jsonSchema.type === 'number') jsonSchema.format ??= 'double';
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema.maximum;
    jsonSchema.format ??= 'int64';
  }
  if (jsonSchema.type !== 'object') return;
  delete jsonSchema.propertyNames;
  for (const [name, property] of Object.entries(jsonSchema.properties ?? {}))
    if (Object(property).isUndocumented === true) delete jsonSchema.properties?.[name];
  const { additionalProperties } = jsonSchema;
  const isOpen = JSON.stringify(additionalProperties) === '{}' || (io === 'output' && !additionalProperties);
  if (isOpen) jsonSchema.additionalProperties = true;
}

/** Changes references to those of an OpenAPI document, and removes the ids of schemas. */
function toOpenApiSchema(schema: object): JsonSchema {
  const isId = (key: string, value: unknown) => key === 'id' && typeof value === 'string';
  const text = JSON.stringify(schema, (key, value: unknown) => (isId(key, value) ? undefined : value));
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
}
