import { describe, expect, test } from '@jest/globals';
import fs from 'fs';
import { join } from 'path';
import { parse } from 'yaml';
import { platformEventNames } from '../packages/rules/dist/index.js';
import { renamedVariables, variables } from '../packages/process/dist/index.js';
import { chartFolder } from './helm.mjs';
import { chartVariables, foreignVariables } from './helm-values.fixture.mjs';
import { root } from './prepare.mjs';

const readChart = (name) => fs.readFileSync(join(chartFolder, name), 'utf8');
const schema = JSON.parse(readChart('values.schema.json'));
const values = parse(readChart('values.yaml'));

describe('values.schema.json', () => {
  const { config } = schema.definitions;

  test('has every variable in config or in secrets, unless the chart sets it', () => {
    const all = [...Object.keys(config.properties), ...Object.keys(schema.properties.secrets.properties)];
    const oldNames = Object.keys(renamedVariables);
    const ours = all.filter((name) => !foreignVariables.includes(name) && !oldNames.includes(name));
    expect(all).toEqual(expect.arrayContaining(oldNames));
    // EGRESS_PROXY is in both, because its URL may have a password. HOST is for machines: pods listen on all addresses.
    const expected = Object.keys(variables).filter((name) => ![...chartVariables, 'HOST'].includes(name));
    expect(ours.sort()).toEqual([...expected, 'EGRESS_PROXY'].sort());
  });

  test('has the limits of the variables', () => {
    const wrong = Object.entries(config.properties).flatMap(([name, { type, minimum, maximum, enum: words = [] }]) => {
      const accepts = (value) => variables[name].safeParse(String(value)).success;
      const inside = type === 'boolean' ? [true, false] : [...words, minimum, maximum];
      const outside = [minimum - 1, maximum + 1].filter((edge) => !Number.isNaN(edge));
      if (foreignVariables.includes(name)) return [];
      return [...inside.filter((edge) => edge !== undefined && !accepts(edge)), ...outside.filter(accepts)].map(
        (edge) => `${name}: ${edge}`,
      );
    });
    expect(wrong).toEqual([]);
    expect(Object.values(config.properties).filter(({ maximum }) => maximum).length).toBeGreaterThan(10);
  });

  test('knows the events of a bridge', () => {
    expect(schema.properties.bridge.properties.event.enum).toEqual(['', ...platformEventNames]);
  });

  test('has no value that values.yaml does not show, but `global` and an old name', () => {
    const hidden = ({ properties, $ref }, shown, path) => {
      const own = $ref ? schema.definitions[$ref.split('/').at(-1)].properties : properties;
      if (!own || path.endsWith('config')) return [];
      return Object.entries(own).flatMap(([key, part]) =>
        Object.hasOwn(shown, key) ? hidden(part, shown[key], `${path}.${key}`) : [`${path}.${key}`],
      );
    };
    expect(hidden(schema, values, 'values')).toEqual(['values.global', 'values.secrets.SECRETS_KEY']);
  });
});

test('the chart has the version of Ringback', () => {
  const { version } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
  expect(parse(readChart('Chart.yaml')).appVersion).toBe(version);
});

test("the chart's README names only values that exist, and all keys of the Secret", () => {
  const cells = [...readChart('README.md').matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) => cell.match(/[\w.]+/g));
  const valueAt = (path) => path.split('.').reduce((value, key) => value?.[key], values);
  expect(cells.length).toBeGreaterThan(20);
  expect(cells.filter((path) => valueAt(path) === undefined)).toEqual([]);
  expect(cells).toEqual(expect.arrayContaining(Object.keys(values.secrets).map((name) => `secrets.${name}.key`)));
});
