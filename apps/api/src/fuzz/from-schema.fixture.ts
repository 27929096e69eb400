import fc from 'fast-check';
import type { JsonSchema } from '../openapi/schemas.js';

type Schema = {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
};
type Values = fc.Arbitrary<unknown>;

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const formats: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  uri: fc.webUrl(),
  'date-time': fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((at) => at.toISOString()),
};

/**
 * Generates values that fit a JSON Schema of the document. A schema cannot say which texts are addresses or which ids
 * exist, so the values of the example are generated too. Where any value fits, `anything` generates it.
 */
export function createValueGenerator(components: Record<string, JsonSchema>, anything: Values) {
  const valuesOf = (schema: Schema, example?: unknown): Values => {
    const { $ref, type, anyOf, oneOf = anyOf } = schema;
    if ($ref !== undefined) return valuesOf(components[$ref.split('/').at(-1) ?? ''] ?? {}, example);
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (oneOf) return fc.oneof(...oneOf.map((alternative) => valuesOf(alternative, example)));
    if (Array.isArray(type)) return fc.oneof(...type.map((name) => valuesOf({ ...schema, type: name }, example)));
    if (type === 'array') return arrays(schema, example);
    if (type === 'object')
      return schema.properties ? objects(schema, example) : exampleOr(example, fc.dictionary(word, word));
    return scalars(schema, example);
  };

  const arrays = ({ items = {}, minItems = 0, maxItems = minItems + 3 }: Schema, example: unknown) => {
    const item = valuesOf(items, Array.isArray(example) ? example[0] : example);
    return fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
  };

  const objects = ({ properties = {}, required = [], additionalProperties }: Schema, example: unknown) => {
    const named = Object.entries(properties).map(([name, property]): [string, Values] => [
      name,
      valuesOf(property, Reflect.get(Object(example), name)),
    ]);
    const declared = fc.record(Object.fromEntries(named), { requiredKeys: required, noNullPrototype: true });
    if (typeof additionalProperties !== 'object') return declared;
    const more = fc.dictionary(word, valuesOf(additionalProperties), { maxKeys: 2, noNullPrototype: true });
    return fc.tuple(more, declared).map(([rest, own]) => ({ ...rest, ...own }));
  };

  const scalars = (schema: Schema, example: unknown) => {
    const { type, minimum: min = -(2 ** 31), maximum: max = 2 ** 31 - 1 } = schema;
    if (type === 'string') return exampleOr(typeof example === 'string' ? example : undefined, texts(schema));
    // A whole number also fits the type `number`.
    if (type === 'integer' || type === 'number')
      return exampleOr(typeof example === 'number' ? example : undefined, fc.integer({ min, max }));
    if (type === 'boolean') return exampleOr(typeof example === 'boolean' ? example : undefined, fc.boolean());
    return type === 'null' ? fc.constant(null) : anything;
  };
  return (schema: JsonSchema, example?: unknown): Values => valuesOf(schema, example);
}

const exampleOr = (example: unknown, generated: Values): Values =>
  example === undefined ? generated : fc.oneof({ arbitrary: fc.constant(example), weight: 3 }, generated);

function texts({
  format = '',
  allOf = [],
  minLength = 0,
  maxLength = Infinity,
  ...rest
}: Schema): fc.Arbitrary<string> {
  const [pattern, ...patterns] = [rest, ...allOf].flatMap((schema) => schema.pattern ?? []);
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && patterns.every((further) => new RegExp(further).test(text));
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).filter(fits);
  return formats[format] ?? fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 40) });
}

/**
 * Values with one to three changes. A change replaces a member with a hostile value, removes it, or adds one of `keys`.
 */
export const changed = (values: Values, keys: fc.Arbitrary<string>, hostile: Values): Values => {
  const route = fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 });
  const change = fc.record({ route, key: keys, to: fc.option(hostile, { nil: undefined, freq: 4 }) });
  return fc
    .tuple(values, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce((acc, { route: path, key, to }) => changeAt(acc, path, key, to), value));
};

/**
 * Changes the member at a route of entry indexes. `undefined` removes it from the JSON; an index past the end adds one.
 */
function changeAt(value: unknown, [step, ...route]: number[], key: string, to: unknown): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return to;
  const entries = new Map<string, unknown>(Object.entries(value));
  const name = [...entries.keys()][step] ?? key;
  entries.set(name, changeAt(entries.get(name), route, key, to));
  return Array.isArray(value) ? [...entries.values()] : Object.fromEntries(entries);
}
