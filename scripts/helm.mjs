// Renders deploy/helm/ringback with the `helm` in PATH, or with the one that HELM names, and checks the manifests
// against the schemas of Kubernetes, KEDA and Prometheus Operator.
import { spawnSync } from 'child_process';
import { createRequire } from 'module';
import { join } from 'path';
import { parseAllDocuments } from 'yaml';
import { root } from './prepare.mjs';

export const chartFolder = join(root, 'deploy/helm/ringback');
const helm = process.env.HELM || 'helm';

export const hasHelm = () => spawnSync(helm, ['version'], { stdio: 'ignore' }).status === 0;

/** Runs `helm template`. Returns the manifests. If it fails, throws an error with what helm printed. */
export function render(values, { release = 'ringback', namespace = 'default', chart = chartFolder } = {}) {
  const args = ['template', release, chart, '--namespace', namespace, '--kube-version', '1.30', '--values', '-'];
  const { status, stdout, stderr } = spawnSync(helm, args, { input: JSON.stringify(values), encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS();
    })
    .filter((manifest) => manifest !== null);
}

// The packages with the schemas and the types, by apiVersion. Each has one module for each kind.
const homes = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'batch/v1': 'kubernetes-models/batch/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
};
const moduleOf = ({ apiVersion, kind }) => `${homes[apiVersion]}/${kind}`;

/** Throws an error that names the field if a manifest breaks the schema of its kind. Unknown fields are allowed. */
export async function checkSchema(manifest) {
  const { [manifest.kind]: Model } = await import(moduleOf(manifest));
  new Model(manifest).validate();
}

/**
 * Finds unknown fields with the TypeScript compiler, because the schemas allow them. Returns the compiler's messages.
 */
export function findUnknownFields(manifests) {
  const ts = createRequire(import.meta.url)('typescript');
  const lines = manifests.flatMap((manifest, index) => [
    `import type { I${manifest.kind} as T${index} } from '${moduleOf(manifest)}';`,
    `export const m${index}: T${index} = ${JSON.stringify(manifest)};`,
  ]);
  const name = join(root, 'manifests.ts');
  const text = lines.join('\n');
  const options = { noEmit: true, strict: true, skipLibCheck: true, module: 199, moduleResolution: 99, types: [] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (path, ...more) =>
    path === name ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile.call(host, path, ...more);
  host.fileExists = (path) => path === name || fileExists.call(host, path);
  host.readFile = (path) => (path === name ? text : readFile.call(host, path));
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([name], options, host));
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
