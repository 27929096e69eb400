// Renders deploy/helm/ringback with the `helm` in PATH, or with the one that HELM names.
import { spawnSync } from 'child_process';
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
