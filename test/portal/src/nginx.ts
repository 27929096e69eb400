import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createTemporaryFolder, until } from '@ringback/testing';
import { root } from './stack.js';

const program = '/usr/sbin/nginx';

export const hasNginx = () => existsSync(program);

/** A port of this machine that no server has. */
export async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The two ways in which docs/operate/own-name.md lets nginx forward `/callbacks`, in the order of the page. */
export function readDocumentedLocations(): { removing: string; keeping: string } {
  const page = readFileSync(`${root}docs/operate/own-name.md`, 'utf8');
  const [removing, keeping] = [...page.matchAll(/^```nginx\n([^]*?)^```/gm)].map(([, text]) => text);
  if (!removing || !keeping) throw new Error('docs/operate/own-name.md has no two examples for nginx');
  return { removing, keeping };
}

type Nginx = {
  /** What nginx has been asked: the path, and the status of its response. */
  requests: () => { path: string; status: number }[];
  stop: () => Promise<void>;
};

/** Starts nginx on a port, with the locations of an API that the documentation has on port 3000. */
export async function startNginx(locations: string, ports: { nginx: number; api: number }): Promise<Nginx> {
  const folder = createTemporaryFolder('ringback-nginx');
  // The workers of nginx have a user of their own.
  chmodSync(folder, 0o777);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const forwarded = locations.replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.api}`);
  const config = `pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
daemon off;
events {}
http {
  ${paths.join(' ')}
  log_format short '$request_uri $status';
  access_log ${folder}/access.log short;
  server {
    listen 127.0.0.1:${ports.nginx};
    ${forwarded}
  }
}
`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const child = spawn(program, ['-p', folder, '-c', 'nginx.conf', '-e', `${folder}/error.log`], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const log = () => readFileSync(join(folder, 'error.log'), 'utf8');
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`nginx ended: ${log()}`);
      return accepts(ports.nginx);
    },
    () => `nginx accepts connections: ${log()}`,
  );
  return {
    requests: () =>
      readFileSync(join(folder, 'access.log'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => ({ path: line.split(' ')[0] ?? '', status: Number(line.split(' ')[1]) })),
    stop: async () => {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
