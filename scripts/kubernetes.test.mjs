import { describe, expect, test } from '@jest/globals';
import fs from 'fs';
import { createRequire } from 'module';
import { join } from 'path';
import { parse, parseAllDocuments } from 'yaml';
import { variables } from '../packages/runtime/dist/index.js';
import { root } from './prepare.mjs';

const ts = createRequire(import.meta.url)('typescript');
const folder = join(root, 'deploy/kubernetes');
const read = (name) => fs.readFileSync(join(folder, name), 'utf8');
const kustomization = parse(read('kustomization.yaml'));
const files = fs.readdirSync(folder).filter((name) => name !== 'kustomization.yaml');
const manifests = files.flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => {
    expect(document.errors).toEqual([]);
    return { file, manifest: document.toJS() };
  }),
);
const named = manifests.map(({ file, manifest }) => [`${manifest.kind} ${manifest.metadata.name}`, manifest, file]);
const of = (kind, name) => named.find(([title]) => title === `${kind} ${name}`)[1];

// The modules with the schemas and the types, by apiVersion.
const homes = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'batch/v1': 'kubernetes-models/batch/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
};

test.each(named)('%s matches the schema of Kubernetes or KEDA', async (_title, manifest) => {
  const { [manifest.kind]: Model } = await import(homes[manifest.apiVersion]);
  new Model(manifest).validate();
});

test('the schema refuses an invalid manifest', async () => {
  const { Deployment } = await import(homes['apps/v1']);
  const { selector: _gone, ...spec } = of('Deployment', 'ringback-api').spec;
  expect(() => new Deployment({ metadata: { name: 'x' }, spec }).validate()).toThrow(/selector/);
});

/** Finds unknown fields with the TypeScript compiler, because the schemas allow them. */
function findUnknownFields(all) {
  const lines = all.map(
    (manifest, index) =>
      `import type { I${manifest.kind} as T${index} } from '${homes[manifest.apiVersion]}';\nexport const m${index}: T${index} = ${JSON.stringify(manifest)};`,
  );
  const name = join(root, 'manifests.ts');
  const options = { noEmit: true, strict: true, skipLibCheck: true, module: 199, moduleResolution: 99, types: [] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const text = lines.join('\n');
  host.getSourceFile = (path, ...more) =>
    path === name ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile.call(host, path, ...more);
  host.fileExists = (path) => path === name || fileExists.call(host, path);
  host.readFile = (path) => (path === name ? text : readFile.call(host, path));
  const found = ts.getPreEmitDiagnostics(ts.createProgram([name], options, host));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('no manifest has an unknown field', () => {
  const all = manifests.map(({ manifest }) => manifest);
  expect(findUnknownFields(all)).toEqual([]);
  const wrong = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, dta: {} };
  expect(findUnknownFields([wrong])).toEqual([expect.stringMatching(/dta.* does not exist/)]);
});

test('every file is applied except the example of the secret', () => {
  const applied = files.filter((file) => !file.includes('.example.'));
  expect([...kustomization.resources].sort()).toEqual(applied.sort());
});

const { data } = of('ConfigMap', 'ringback');
const { stringData } = of('Secret', 'ringback');

test('all variables exist and have valid values', () => {
  const ours = Object.entries({ ...data, ...stringData }).filter(
    ([name]) => !['NODE_OPTIONS', 'UV_THREADPOOL_SIZE', 'RES_OPTIONS'].includes(name),
  );
  for (const [name, value] of ours) {
    expect(Object.keys(variables)).toContain(name);
    if (value !== '') variables[name].parse(value);
  }
  expect(Object.keys(stringData)).toEqual(expect.arrayContaining(['DATABASE_URL', 'SECRETS_KEY']));
});

describe.each([
  ['api', data.PORT],
  ['worker', data.HEALTH_PORT],
])('the pods of ringback-%s', (component, port) => {
  const { spec, metadata } = of('Deployment', `ringback-${component}`).spec.template;
  const [container] = spec.containers;

  test('run a program that exists, with the settings and the secret', () => {
    expect(container.args[0]).toBe('node');
    const source = container.args[1].replace('/dist/', '/src/').replace(/js$/, 'ts');
    expect(fs.existsSync(join(root, source))).toBe(true);
    const from = container.envFrom.map(({ configMapRef, secretRef }) => (configMapRef ?? secretRef).name);
    expect(from).toEqual(['ringback', 'ringback']);
  });

  test('are probed at /readyz, and for liveness at /healthz', () => {
    const [{ name, containerPort }] = container.ports;
    expect(String(containerPort)).toBe(port);
    expect(metadata.annotations['prometheus.io/port']).toBe(port);
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { path, port: asked } = container[probe].httpGet;
      expect([path, asked]).toEqual([probe === 'livenessProbe' ? '/healthz' : '/readyz', name]);
    }
    // /readyz takes up to 3 s.
    expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(3);
  });

  test('have enough time to stop', () => {
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(11 + (container.lifecycle ? 5 : 0));
  });

  test('do not run as root and cannot become root', () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false });
  });

  test('match their selectors and have one autoscaler', () => {
    const labels = metadata.labels;
    expect(of('Deployment', `ringback-${component}`).spec.selector.matchLabels).toEqual(labels);
    expect(of('PodDisruptionBudget', `ringback-${component}`).spec.selector.matchLabels).toEqual(labels);
    const scalers = manifests
      .map(({ manifest }) => manifest)
      .filter(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')
      .filter((scaler) => scaler.spec.scaleTargetRef.name === `ringback-${component}`);
    expect(scalers).toHaveLength(1);
    expect(of('Deployment', `ringback-${component}`).spec.replicas).toBeUndefined();
  });
});

test('the service points to the port of the API', () => {
  const { selector, ports } = of('Service', 'ringback-api').spec;
  const { metadata, spec } = of('Deployment', 'ringback-api').spec.template;
  expect(selector).toEqual(metadata.labels);
  expect(ports[0].targetPort).toBe(spec.containers[0].ports[0].name);
});
