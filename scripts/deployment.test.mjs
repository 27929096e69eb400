import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { renamedVariables, variables } from '../packages/process/dist/index.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => readFileSync(join(root, path), 'utf8');
const exists = (path) => existsSync(join(root, path));

describe('docker-compose.yml', () => {
  const { services, volumes } = parse(read('docker-compose.yml'), { merge: true });
  const { postgres, redis, migrate, api, worker, bridge } = services;

  test('has PostgreSQL, Redis, a migration, the API, workers and, in a profile, the bridge', () => {
    expect(Object.keys(services).sort()).toEqual(['api', 'bridge', 'migrate', 'postgres', 'redis', 'worker']);
    expect(Object.values(services).filter(({ profiles }) => profiles)).toEqual([bridge]);
    expect(bridge).toMatchObject({ profiles: ['bridge'], command: 'bridge ${BRIDGE_OPTIONS:-}' });
    expect(worker.deploy.replicas).toBeGreaterThan(1);
    expect(worker.ports ?? worker.container_name).toBeUndefined();
  });

  test('starts a Redis that does not evict jobs and stores them compactly', () => {
    const options = redis.command.join(' ');
    expect(options).toMatch(/^redis-server /);
    expect(options).toContain('--appendonly yes');
    expect(options).toContain('--maxmemory-policy noeviction');
    expect(options).toContain('--hash-max-listpack-value 1024');
  });

  test.each([
    ['postgres', '/var/lib/postgresql'],
    ['redis', '/data'],
  ])('keeps the data of %s in a volume', (name, path) => {
    const [source, target] = services[name].volumes[0].split(':');
    expect(target).toBe(path);
    expect(volumes).toHaveProperty(source);
  });

  test.each(['postgres', 'redis', 'api', 'worker'])('checks the health of %s and restarts it', (name) => {
    // The health check of the API and the worker is in the image.
    if (!services[name].build) expect(services[name].healthcheck.test[0]).toBe('CMD');
    expect(services[name].healthcheck?.disable).toBeUndefined();
    expect(services[name].restart).toBe('unless-stopped');
  });

  test('publishes the port of the API', () => {
    expect(api.ports[0]).toMatch(new RegExp(`:${api.environment.PORT}$`));
  });

  test('starts each program after its dependencies', () => {
    const ready = { postgres: { condition: 'service_healthy' }, redis: { condition: 'service_healthy' } };
    for (const { depends_on: needs } of [api, worker]) {
      expect(needs).toEqual({ ...ready, migrate: { condition: 'service_completed_successfully' } });
    }
    expect(migrate.depends_on).toEqual({ postgres: ready.postgres });
    expect(bridge.depends_on).toEqual({ postgres: ready.postgres, migrate: api.depends_on.migrate });
  });

  test.each(['migrate', 'api', 'worker'])('runs %s', (name) => {
    expect(services[name]).toMatchObject({ build: '.', command: [name] });
  });

  test.each(['migrate', 'api', 'worker', 'bridge'])('passes every variable to %s', (name) => {
    const { PGPASSWORD, DATABASE_URL, REDIS_URL, PORT, HOST, HEALTH_PORT, ...passed } = services[name].environment;
    const fixed = { DATABASE_URL, REDIS_URL, PORT, HOST, HEALTH_PORT };
    expect(fixed).toEqual({
      DATABASE_URL: 'postgresql://ringback@postgres:5432/ringback',
      REDIS_URL: 'redis://redis:6379',
      PORT: '3000',
      HOST: '',
      HEALTH_PORT: '3001',
    });
    expect(PGPASSWORD).toBe(postgres.environment.POSTGRES_PASSWORD);
    const others = Object.keys(variables).filter((variable) => !Object.hasOwn(fixed, variable));
    const oldNameOf = (variable) => Object.keys(renamedVariables).find((name) => renamedVariables[name] === variable);
    const valueOf = (variable) => (oldNameOf(variable) ? `\${${oldNameOf(variable)}:-}` : '');
    expect(passed).toEqual(
      Object.fromEntries(others.map((variable) => [variable, `\${${variable}:-${valueOf(variable)}}`])),
    );
  });

  test.each([api, worker, bridge])('gives a program time to finish what is in flight, and no privileges', (service) => {
    const maxTimeoutS = 60;
    expect(variables.CALLBACK_TIMEOUT_MS.safeParse(String(maxTimeoutS * 1_000 + 1)).success).toBe(false);
    expect(parseInt(service.stop_grace_period, 10)).toBeGreaterThan(maxTimeoutS + 8);
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').replace(/\\\n/g, ' ').split('\n');
  const all = lines.map((line) => /^([A-Z]+)\s+(.*)$/.exec(line)).filter(Boolean);
  const steps = all.map(([, instruction, words]) => ({ instruction, words: words.trim() }));
  const stages = steps.filter(({ instruction }) => instruction === 'FROM');
  const last = steps.slice(steps.lastIndexOf(stages.at(-1)));
  const wordsOf = (instruction) => last.filter((step) => step.instruction === instruction).map(({ words }) => words);
  const ignored = read('.dockerignore').split('\n').filter(Boolean);

  test('builds on a Node that Ringback supports and runs without a shell', () => {
    const [build, run] = stages.map(({ words }) => words);
    expect(stages).toHaveLength(2);
    expect(build).toMatch(/^node:(22|24)-/);
    expect(run).toMatch(/^gcr\.io\/distroless\/cc-/);
    expect(wordsOf('COPY').every((words) => words.startsWith('--from='))).toBe(true);
    expect(wordsOf('RUN')).toEqual([]);
  });

  test('runs the API as a user other than root', () => {
    expect(wordsOf('USER')).toEqual(['65532']);
    expect([...wordsOf('ENTRYPOINT'), ...wordsOf('CMD')].flatMap((words) => JSON.parse(words))).toEqual([
      'ringback',
      'api',
    ]);
  });

  test('is labelled with the version and the licence of package.json', () => {
    const { version, license } = JSON.parse(read('package.json'));
    const labels = wordsOf('LABEL').join(' ');
    expect(labels).toContain(`org.opencontainers.image.version=${version} `);
    expect(labels).toContain(`org.opencontainers.image.licenses=${license}`);
  });

  const copied = steps
    .filter(({ instruction, words }) => instruction === 'COPY' && !words.startsWith('--'))
    .flatMap(({ words }) => words.split(/\s+/).slice(0, -1));

  test.each(copied)('copies %s, which exists and is not ignored', (path) => {
    expect(exists(path)).toBe(true);
    expect(ignored).not.toContain(path);
  });

  test('copies every folder and file that the build reads', () => {
    const { workspaces } = JSON.parse(read('package.json'));
    const needed = workspaces.map((workspace) => workspace.split('/')[0]);
    expect(copied).toEqual(
      expect.arrayContaining([...needed, 'package.json', 'package-lock.json', '.npmrc', 'turbo.json']),
    );
    expect(copied).toEqual(expect.arrayContaining(['tsconfig.base.json', 'prisma.config.ts', 'prisma', 'scripts']));
    // The portal shows these files.
    expect(copied).toContain('examples/verify');
  });

  test('does not copy secrets or build output', () => {
    expect(ignored).toEqual(expect.arrayContaining(['.env', '.data', '.git', '**/node_modules', '**/dist']));
  });
});
