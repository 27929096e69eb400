import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { parse } from 'yaml';
import { customer } from './api.js';
import { ringback } from './cli.js';
import { root, run, type Running } from './processes.js';

const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } };
type Target = { expr: string };
type Dashboard = {
  panels: { title: string; targets: Target[]; gridPos: { x: number; w: number } }[];
  templating: { list: { name: string; query: string | { query: string } }[] };
};

const rules: Rule[] = parse(read('deploy/prometheus/rules.yaml')).groups.flatMap(
  ({ rules: some }: { rules: Rule[] }) => some,
);
const dashboard: Dashboard = JSON.parse(read('deploy/grafana/ringback.json'));
const template = read('deploy/helm/ringback/templates/_scaling.tpl');
/** The queries of the ScaledObject, for all kinds of lag. */
const scaled: string[] = [...template.matchAll(/^ +query: (.+)$/gm)].map(([, query = '']) =>
  query.replace('{{ $kinds }}', '.+').replace('{{ $matchers }}', ''),
);

/** The query with values for Grafana's variables. */
const withoutVariables = (query: string) => query.replaceAll('$__rate_interval', '5m').replaceAll('$queue', '.+');
const queries: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }): [string, string] => [title, withoutVariables(expr)]),
  ),
  ...scaled.map((query): [string, string] => ['the ScaledObject', query]),
];

type Selector = { metric: string; labels: string[] };

/** The metrics of a query, with the labels by which it selects and groups. Throws if the query is not PromQL. */
function selectorsIn(query: string): { selectors: Selector[]; grouped: string[] } {
  const selectors: Selector[] = [];
  const grouped: string[] = [];
  parser.parse(query).iterate({
    enter({ type, from, to }) {
      const text = query.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at ${from}: ${query}`);
      if (type.name === 'VectorSelector') selectors.push({ metric: /^\w+/.exec(text)?.[0] ?? '', labels: [] });
      if (type.name === 'LabelName') {
        const isMatcher = /^\s*(=|!=|=~|!~)/.test(query.slice(to));
        if (isMatcher) selectors.at(-1)?.labels.push(text);
        else grouped.push(text);
      }
    },
  });
  return { selectors, grouped };
}

let database: TestDatabase;
let receiver: Receiver;
let processes: Running[] = [];
/** The labels of each metric of both processes, by its name. */
const labelsByMetric = new Map<string, Set<string>>();
const lagKinds = new Set<string>();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function scrape(origin: string): Promise<void> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labelsByMetric.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    labelsByMetric.set(name, known);
  }
  for (const [, kind = ''] of text.matchAll(/^ringback_lag_seconds\{kind="([^"]+)"/gm)) lagKinds.add(kind);
}

beforeAll(async () => {
  database = await createTestDatabase();
  receiver = await startReceiver();
  const healthPort = await freePort();
  const env = {
    DATABASE_URL: database.url,
    PORT: '0',
    HEALTH_PORT: String(healthPort),
    EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    LOG_FORMAT: 'json',
  };
  const [api, worker] = [run('apps/api/dist/main.js', { env }), run('apps/worker/dist/main.js', { env })];
  processes = [api, worker];
  const [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  const account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as {
    id: string;
    access_token: string;
  };
  const call = customer(baseUrl, account.access_token);
  const { body } = await call('POST', '/developer/webhooks', { name: 'in', uri: `${receiver.origin}/in` });
  await ringback(['event', 'sample', 'sms', '--account', account.id, '--webhook', body.data.id], { env });
  await worker.waitFor(/"delivery.attempted"/);
  await scrape(new URL(baseUrl).origin);
  await scrape(`http://127.0.0.1:${healthPort}`);
});
afterAll(async () => {
  await Promise.all(processes.map((program) => program.stop()));
  await receiver.close();
  await database.drop();
});

// Labels that Prometheus or its client library adds.
const addedLabels = ['job', 'instance', 'le'];

describe('the Prometheus queries in deploy/', () => {
  test.each(queries)('%s: every metric and label of %s exists', (_where, query) => {
    const { selectors, grouped } = selectorsIn(query);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, labels } of selectors.filter((selector) => selector.metric !== 'up')) {
      expect([...labelsByMetric.keys()]).toContain(metric);
      const known = [...(labelsByMetric.get(metric) ?? []), ...addedLabels];
      expect(known).toEqual(expect.arrayContaining([...labels, ...grouped]));
    }
  });

  test('are parsed: invalid PromQL throws, and the metrics and labels of a query are found', () => {
    expect(() => selectorsIn('sum by (queue (ringback_queue_jobs)')).toThrow('not PromQL');
    expect(selectorsIn('max by (queue) (ringback_queue_jobs{state="x"})')).toEqual({
      selectors: [{ metric: 'ringback_queue_jobs', labels: ['state'] }],
      grouped: ['queue'],
    });
  });
});

test('the chart scales workers by kinds of lag that exist', () => {
  const [, kindOf = ''] = /\$kindOf := dict (.+) -/.exec(read('deploy/helm/ringback/templates/_roles.tpl')) ?? [];
  const kinds = [...kindOf.matchAll(/"[^"]+" "([^"]+)"/g)].map(([, kind = '']) => kind);
  expect(kinds).toHaveLength(4);
  expect([...lagKinds]).toEqual(expect.arrayContaining(kinds));
});

describe('the alert rules', () => {
  test('have unique names, a severity and a summary', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
    }
  });

  test('are in the documentation', () => {
    const documentation = read('docs/operate/monitor.md');
    expect(rules.map(({ alert }) => alert).filter((alert) => !documentation.includes(`\`${alert}\``))).toEqual([]);
  });
});

describe('the dashboard', () => {
  test('uses existing queues, and its panels are within its width', () => {
    const asked = dashboard.templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query));
    expect(asked).toEqual(['prometheus', 'label_values(ringback_queue_jobs, queue)']);
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});

test('every metric of Ringback is in the documentation', () => {
  const documentation = read('docs/reference/metrics.md');
  const ours = [...labelsByMetric.keys()].filter((name) => name.startsWith('ringback_'));
  const names = new Set(ours.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect([...names].filter((name) => !documentation.includes(`\`${name}\``))).toEqual([]);
  expect(names.size).toBeGreaterThan(10);
});
