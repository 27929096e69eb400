import { beforeAll, describe, expect, test } from '@jest/globals';
import fs from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { parse } from 'yaml';
import {
  addressVariables,
  pathOf,
  readAddressSettings,
  readConfig,
  renamedVariables,
  roles,
  variables,
} from '../packages/process/dist/index.js';
import { chartFolder, checkSchema, findUnknownFields, hasHelm, render } from './helm.mjs';
import { chartVariables, foreignVariables, minimal, valueSets, wrongValues } from './helm-values.fixture.mjs';
import { root } from './prepare.mjs';
import { packFolder } from './release-files.mjs';

const readChart = (name) => fs.readFileSync(join(chartFolder, name), 'utf8');
const schema = JSON.parse(readChart('values.schema.json'));
const values = parse(readChart('values.yaml'));
const withHelm = hasHelm() ? describe : describe.skip;

withHelm.each(Object.entries(valueSets))('the chart with %s', (_title, given) => {
  let manifests;
  const of = (kind) => manifests.filter((manifest) => manifest.kind === kind);
  const named = (kind, name) => of(kind).find(({ metadata }) => metadata.name === name);
  const workloads = () => [...of('Deployment'), ...of('Job')];
  const containerOf = ({ spec }) => spec.template.spec.containers[0];
  const settingsOf = (workload) => containerOf(workload).env;
  const valueOf = (workload, name) => settingsOf(workload).find((one) => one.name === name)?.value;
  const componentOf = ({ metadata }) => metadata.labels['app.kubernetes.io/component'];
  const isWorker = (manifest) => componentOf(manifest) === 'worker';
  /** The names of the workloads whose pods a selector selects. */
  const selectedBy = (selector) =>
    workloads()
      .filter(({ spec }) =>
        Object.entries(selector).every(([key, value]) => spec.template.metadata.labels[key] === value),
      )
      .map(({ metadata }) => metadata.name);
  beforeAll(() => (manifests = render(given)));

  test('makes objects that match the schemas of Kubernetes, KEDA and Prometheus Operator', async () => {
    for (const manifest of manifests) await checkSchema(manifest);
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(of('Deployment').length).toBeGreaterThan(1);
  });

  test('selects with each selector the pods of one Deployment, or for metrics those of one component', () => {
    for (const { kind, metadata, spec } of manifests.filter(({ kind }) => kind !== 'ServiceMonitor')) {
      const selector = spec?.podSelector ?? spec?.selector;
      if (kind === 'Job' || !selector) continue;
      const selected = selectedBy(selector.matchLabels ?? (kind === 'Service' ? selector : {}));
      const isMetrics = metadata.name.endsWith('-metrics');
      const component = metadata.labels['app.kubernetes.io/component'];
      const ofComponent = of('Deployment').filter((deployment) => componentOf(deployment) === component);
      expect(selected).toEqual(isMetrics ? ofComponent.map(nameOf) : [metadata.name]);
    }
  });

  test('gives each Deployment a number of replicas or an autoscaler, and a disruption budget unless it is off', () => {
    const scalers = [...of('HorizontalPodAutoscaler'), ...of('ScaledObject')];
    for (const { metadata, spec } of of('Deployment')) {
      const own = scalers.filter((scaler) => scaler.spec.scaleTargetRef.name === metadata.name);
      expect([metadata.name, own.length]).toEqual([metadata.name, spec.replicas === undefined ? 1 : 0]);
    }
    const budgets = of('PodDisruptionBudget').map(nameOf);
    expect(budgets).toEqual(given.podDisruptionBudget ? [] : expect.arrayContaining(of('Deployment').map(nameOf)));
  });

  test('sets variables that exist, with valid values, and secrets by reference', () => {
    for (const workload of workloads()) {
      const settings = settingsOf(workload).filter(({ name }) => !foreignVariables.includes(name));
      expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
      for (const { name, value, valueFrom } of settings) {
        const { [renamedVariables[name] ?? name]: variable } = variables;
        expect([name, variable]).toEqual([name, expect.anything()]);
        const isSetting = Object.hasOwn(schema.definitions.config.properties, name) || chartVariables.includes(name);
        if (value !== undefined)
          expect([name, isSetting, variable.safeParse(value).success]).toEqual([name, true, true]);
        else expect(valueFrom.secretKeyRef).toEqual({ name: expect.any(String), key: expect.stringMatching(/./) });
      }
      const names = settings.map(({ name }) => name);
      expect(names).toContain('DATABASE_URL');
      for (const [oldName, name] of Object.entries(renamedVariables))
        expect(names.filter((one) => [oldName, name].includes(one)).length).toBeLessThan(2);
      for (const [name, value] of Object.entries(given.config ?? {}))
        expect([name, valueOf(workload, name)]).toEqual([name, String(value)]);
    }
  });

  test('runs each process with its ports, probes and time to stop', () => {
    for (const deployment of of('Deployment')) {
      const { template } = deployment.spec;
      const [{ name, containerPort }] = containerOf(deployment).ports;
      const program = componentOf(deployment);
      const port = valueOf(deployment, program === 'api' ? 'PORT' : 'HEALTH_PORT');
      expect(String(containerPort)).toBe(port);
      if (!given.serviceMonitor) expect(template.metadata.annotations['prometheus.io/port']).toBe(port);
      const { readinessProbe, livenessProbe, args, lifecycle } = containerOf(deployment);
      expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: name });
      expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: name });
      // /readyz takes up to 3 s.
      expect(readinessProbe.timeoutSeconds).toBeGreaterThan(3);
      expect(args[0]).toBe(program);
      const timeoutMs = variables.CALLBACK_TIMEOUT_MS.parse(valueOf(deployment, 'CALLBACK_TIMEOUT_MS'));
      // What docs/operate/deploy.md says under "Start and stop", and 5 s of preStop.
      const neededS = { api: 10 + (lifecycle?.preStop.sleep.seconds ?? 0), worker: timeoutMs / 1000 + 8, bridge: 12 };
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(neededS[program]);
      expect(lifecycle !== undefined).toBe(program === 'api');
    }
  });

  test('gives the workers all roles, and more than two threads for each callback', () => {
    const workers = of('Deployment').filter(isWorker);
    const givenRoles = workers.flatMap((worker) => [...variables.WORKER_ROLES.parse(valueOf(worker, 'WORKER_ROLES'))]);
    expect(new Set(givenRoles)).toEqual(new Set(roles));
    for (const worker of workers) {
      const concurrency = variables.WORKER_CONCURRENCY.parse(valueOf(worker, 'WORKER_CONCURRENCY'));
      expect(Number(valueOf(worker, 'UV_THREADPOOL_SIZE'))).toBeGreaterThan(2 * concurrency);
    }
  });

  test('runs pods without privileges', () => {
    for (const workload of workloads()) {
      const { spec } = workload.spec.template;
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(containerOf(workload).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const { requests, limits } = containerOf(workload).resources;
      expect([requests.cpu, requests.memory, limits.memory]).toEqual(Array(3).fill(expect.any(String)));
      expect(spec.serviceAccountName).toBe(given.serviceAccountName);
    }
  });

  test('runs a bridge if it is enabled, and gives no other workload the URL of its broker', () => {
    const workloadsWithUrl = workloads().filter((one) => settingsOf(one).some(({ name }) => name === 'BRIDGE_URL'));
    const bridges = of('Deployment').filter((deployment) => componentOf(deployment) === 'bridge');
    expect(workloadsWithUrl.map(nameOf)).toEqual(bridges.map(nameOf));
    const { queue, topic, event, map, replicas = 1, url } = given.bridge ?? {};
    expect(bridges.map(({ spec }) => spec.replicas)).toEqual(given.bridge ? [replicas] : []);
    for (const bridge of bridges) {
      const source = queue ? ['--queue', queue] : ['--topic', topic, '--group', 'ringback'];
      const options = [...(event ? ['--event', event] : []), ...(map ? ['--map', expect.any(String)] : [])];
      const { args } = containerOf(bridge);
      expect(args).toEqual(['bridge', ...source, ...options]);
      if (map) expect(JSON.parse(args.at(-1))).toEqual(map);
      const { valueFrom } = settingsOf(bridge).find(({ name }) => name === 'BRIDGE_URL');
      expect(valueFrom.secretKeyRef).toEqual(url ?? { name: given.existingSecret, key: 'BRIDGE_URL' });
    }
  });

  test('lets only the workers that call receivers reach the internet', () => {
    const calling = of('NetworkPolicy').filter(({ spec }) =>
      spec.egress.some(({ to = [] }) => to.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0')),
    );
    const expected = of('Deployment').filter((one) => /all|deliver|verify/.test(valueOf(one, 'WORKER_ROLES')));
    expect(calling.map(nameOf)).toEqual(given.networkPolicy ? expected.map(nameOf) : []);
  });

  test('routes the API, the documentation and the portal from outside, and nothing else', () => {
    const [ingress] = of('Ingress');
    expect(ingress !== undefined).toBe(given.ingress !== undefined);
    if (!ingress) return;
    const [{ host, http }] = ingress.spec.rules;
    expect([host, ...http.paths.map(({ path }) => path)]).toEqual([
      ...['ringback.example.com', '/api/v2', '/docs', '/portal'],
    ]);
    for (const { backend } of http.paths) expect(named('Service', backend.service.name)).toBeDefined();
  });

  test('migrates before the rest is installed or upgraded', () => {
    const [job] = of('Job');
    expect(job === undefined).toBe(given.migrate?.enabled === false);
    expect(job?.metadata.annotations['helm.sh/hook'] ?? 'none').toMatch(job ? /^pre-install,pre-upgrade$/ : /none/);
    if (job) expect(containerOf(job).args).toEqual(['migrate']);
    // Only hooks exist when the Job runs.
    const hooks = manifests.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']);
    const kinds = hooks.map(({ kind }) => kind).sort();
    expect(kinds).toEqual([...(job ? ['Job'] : []), ...(job && given.networkPolicy ? ['NetworkPolicy'] : [])]);
  });
});

const nameOf = ({ metadata }) => metadata.name;

withHelm('the chart', () => {
  test('makes no object with an unknown field', () => {
    expect(findUnknownFields(Object.values(valueSets).flatMap((given) => render(given)))).toEqual([]);
    const wrong = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, dta: {} };
    expect(findUnknownFields([wrong])).toEqual([expect.stringMatching(/dta.* does not exist/)]);
  });

  test('is checked with schemas that refuse a wrong manifest', async () => {
    const [deployment] = render(minimal).filter(({ kind }) => kind === 'Deployment');
    delete deployment.spec.selector;
    await expect(checkSchema(deployment)).rejects.toThrow(/selector/);
  });

  test.each(wrongValues)('refuses %s with an error that names it', (_title, given, expected) => {
    expect(() => render(given)).toThrow(expected);
  });

  test.each([
    [{ publicUrl: 'https://a.example' }, ['/api/v2', '/docs', '/portal']],
    [{ publicUrl: 'https://a.example/x/y/' }, ['/x/y/api/v2', '/x/y/docs', '/x/y/portal']],
    [{ publicUrl: 'https://a.example/x', apiPath: '/v2/' }, ['/x/v2', '/x/docs', '/x/portal']],
    [{ baseUrl: 'https://a.example/api/v2' }, ['/api/v2', '/docs', '/portal']],
    [{ baseUrl: 'https://a.example/v9' }, ['/v9', '/docs', '/portal']],
    [{ baseUrl: 'https://a.example/x/api/v2/' }, ['/x/api/v2', '/x/docs', '/x/portal']],
    [{ baseUrl: 'https://a.example/x/v2', apiPath: '/v2' }, ['/x/v2', '/x/docs', '/x/portal']],
  ])('with %j routes %j, as the API reads the same values', (given, expected) => {
    const manifests = render({ ...minimal, publicUrl: '', ...given, ingress: { enabled: true } });
    const { host, http } = manifests.find(({ kind }) => kind === 'Ingress').spec.rules[0];
    expect([host, http.paths.map(({ path }) => path)]).toEqual(['a.example', expected]);
    const api = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'ringback-api');
    const { env } = api.spec.template.spec.containers[0];
    const settings = readConfig(Object.fromEntries(env.map(({ name, value }) => [name, value])), addressVariables);
    const { publicUrl, apiPath } = readAddressSettings(settings);
    expect(pathOf(publicUrl) + apiPath).toBe(expected[0]);
  });

  test('scales workers by the lag of their roles', () => {
    const scalers = render(valueSets.everything).filter(({ kind }) => kind === 'ScaledObject');
    const queries = scalers.map(({ metadata, spec }) => [
      metadata.name,
      spec.triggers.map((one) => one.metadata.query),
    ]);
    expect(Object.fromEntries(queries)).toEqual({
      'ringback-ingest': [
        'max(ringback_lag_seconds{kind=~"sms-events|rcs-events",namespace="default"})',
        'sum(max by (queue, state) (ringback_queue_jobs{queue=~"sms-events|rcs-events",state="waiting",namespace="default"}))',
      ],
      'ringback-sms': ['max(ringback_lag_seconds{kind=~"sms",namespace="default"})'],
    });
  });

  test('contains the alert rules and the dashboard of deploy/', () => {
    const read = (name) => fs.readFileSync(join(root, 'deploy', name), 'utf8');
    const manifests = render(valueSets.everything);
    const { spec } = manifests.find(({ kind }) => kind === 'PrometheusRule');
    expect(spec).toEqual(parse(read('prometheus/rules.yaml')));
    const { data } = manifests.find(({ kind }) => kind === 'ConfigMap');
    expect(JSON.parse(data['ringback.json'])).toEqual(JSON.parse(read('grafana/ringback.json')));
  });

  test('renders the same from the archive of a release', () => {
    const folder = fs.mkdtempSync(join(tmpdir(), 'ringback-chart-'));
    const chart = join(folder, 'ringback.tgz');
    packFolder(chartFolder, chart);
    for (const given of Object.values(valueSets)) expect(render(given, { chart })).toEqual(render(given));
    fs.rmSync(folder, { recursive: true });
  });

  test('names its objects after the release', () => {
    const names = render(minimal, { release: 'eu' }).map(nameOf);
    expect(new Set(names)).toEqual(new Set(['eu-ringback-api', 'eu-ringback-worker', 'eu-ringback-migrate']));
  });

  test('monitors the API and the workers', () => {
    const manifests = render(valueSets.everything);
    const { selector, endpoints } = manifests.find(({ kind }) => kind === 'ServiceMonitor').spec;
    const services = manifests.filter(({ kind }) => kind === 'Service');
    for (const { metadata, spec } of services) {
      expect(metadata.labels).toMatchObject(selector.matchLabels);
      expect(endpoints.map(({ port }) => port)).toContain(spec.ports[0].name);
    }
    expect(services.map(({ metadata }) => metadata.labels['app.kubernetes.io/component'])).toEqual([
      ...['api', 'worker', 'bridge'],
    ]);
  });

  const recipes = [...readChart('README.md').matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => [parse(text)]);

  test.each(recipes)('accepts the recipe of its README %j', (recipe) => {
    expect(render({ ...minimal, ...recipe }).length).toBeGreaterThan(3);
  });

  test('has recipes', () => expect(recipes.length).toBeGreaterThan(6));
});
