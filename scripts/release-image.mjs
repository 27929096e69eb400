// How a release's image is built: by Docker's buildx, as an OCI archive whose files have the time of the commit.
import { spawnSync } from 'child_process';

/** The first arguments of docker, to build an image into this file (`-`: to stdout). */
export const imageOptions = (file) => ['buildx', 'build', '--output', `type=oci,dest=${file},rewrite-timestamp=true`];

/**
 * Says why Docker cannot write an OCI archive here: it does not run, has no buildx, or its driver lacks this exporter.
 * Undefined if it can: it has then built an empty image.
 */
export function findImageObstacle() {
  const options = { input: 'FROM scratch\nLABEL empty=true\n', stdio: ['pipe', 'ignore', 'pipe'], encoding: 'utf8' };
  const { status, stderr, error } = spawnSync('docker', [...imageOptions('-'), '-'], options);
  if (status === 0) return undefined;
  const lines = (stderr ?? '').split('\n').filter(Boolean);
  return lines.find((line) => line.startsWith('ERROR: ')) ?? lines[0] ?? error?.message ?? `it ended with ${status}`;
}
