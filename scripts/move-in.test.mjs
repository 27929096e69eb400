// Runs every command and query of docs/guide/move-in.md: a MariaDB with the tables of a Laravel application stands for
// the old sender, and a receiver of this test gets the callbacks. Without MariaDB the test is skipped.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'child_process';
import { createHash, createHmac } from 'crypto';
import fs from 'fs';
import http from 'http';
import { tmpdir } from 'os';
import { join } from 'path';
import { createTestDatabase, until } from '@ringback/testing';
import { findFreePort, openTerminal, readBlocks } from './guide.fixture.mjs';
import { root } from './prepare.mjs';

const server = ['/usr/sbin/mariadbd', '/usr/local/bin/mariadbd', '/opt/homebrew/bin/mariadbd'].find((file) =>
  fs.existsSync(file),
);
const blocks = readBlocks('docs/guide/move-in.md', ['sh', 'sql']);
const codes = blocks.map(({ code }) => code);
const [install, exportSql, runExport, importAll, callApi, ...afterImport] = codes;
const [platform, pushReport, sentSql, compare, restart, keysSql, importKeys, pushNext, back, ...others] = afterImport;

test('every block is in the test', () => {
  expect(others).toEqual([]);
  expect(blocks.filter(({ language }) => language === 'sql').map(({ code }) => code)).toEqual([
    ...[exportSql, sentSql, keysSql],
  ]);
});

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const [live, deleted] = ['180ebbb5-9b6f-4c51-a98a-0123456789ab', '280ebbb5-9b6f-4c51-a98a-0123456789ab'];
const token = 'laravel-sanctum-token-of-forty-characters';

/**
 * The tables of the old sender, as Laravel's migrations make them in a database of Laravel's collation, and their rows.
 */
const oldTables = (receiverPort) => `
  SET NAMES utf8mb4;
  CREATE TABLE users (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(255) NOT NULL,
    callback_token VARCHAR(255), created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL);
  CREATE TABLE personal_access_tokens (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
    tokenable_type VARCHAR(255) NOT NULL, tokenable_id BIGINT UNSIGNED NOT NULL, name VARCHAR(255) NOT NULL,
    token VARCHAR(64) NOT NULL UNIQUE, abilities TEXT, last_used_at TIMESTAMP NULL, expires_at TIMESTAMP NULL,
    created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL);
  CREATE TABLE webhooks (id CHAR(36) PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, name VARCHAR(255) NOT NULL,
    uri TEXT NOT NULL, status TINYINT(1) NOT NULL DEFAULT 1, secret VARCHAR(255), verification_code VARCHAR(255),
    payload JSON, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL, deleted_at TIMESTAMP NULL);
  CREATE TABLE subscriptions (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL,
    webhook_id CHAR(36) NOT NULL, event VARCHAR(255) NOT NULL, identity VARCHAR(255) NOT NULL DEFAULT 'all',
    created_at TIMESTAMP NULL);
  CREATE TABLE webhook_calls (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, webhook_id CHAR(36) NOT NULL,
    event VARCHAR(255) NOT NULL, event_id VARCHAR(255), message_id VARCHAR(255), status VARCHAR(255),
    created_at TIMESTAMP NULL);
  SET time_zone = '+00:00';
  INSERT INTO users VALUES (42, 'Größe 🚀 & "Co"', 'old-bearer', '2021-03-04 05:06:07', '2021-03-04 05:06:07'),
    (43, 'other', NULL, '2021-03-04 05:06:07', NULL);
  INSERT INTO personal_access_tokens (tokenable_type, tokenable_id, name, token, abilities, expires_at, created_at)
    VALUES ('App\\\\Models\\\\User', 42, 'main', '${sha256(token)}', '["*"]', NULL, '2022-01-01 00:00:00'),
    ('App\\\\Models\\\\User', 42, 'expired', '${sha256('expired')}', '["*"]', '2023-01-01 00:00:00', '2022-01-01 00:00:00'),
    ('App\\\\Models\\\\Admin', 42, 'of another model', '${sha256('admin')}', '["*"]', NULL, '2022-01-01 00:00:00');
  INSERT INTO webhooks VALUES ('${live}', 42, 'Bestellungen für 🚀', 'http://127.0.0.1:${receiverPort}/in', 1, NULL, 'verify-me',
    '{"message": "{{id}}", "state": "{{status}}", "n": 2.50, "nested": {"of": "line\\\\nbreak"}}',
    '2022-02-03 04:05:06', '2022-03-03 04:05:06', NULL),
    ('${deleted}', 42, 'gone', 'https://example.com/gone', 0, 's3cret', NULL, NULL, '2022-02-03 04:05:06',
      '2022-02-03 04:05:06', '2022-05-01 00:00:00');
  INSERT INTO subscriptions VALUES (1017, 42, '${live}', 'sms:message:status', 'all', '2022-02-03 04:05:06'),
    (1018, 42, '${deleted}', 'sms:message:status', 'all', '2022-02-03 04:05:06');
  INSERT INTO webhook_calls VALUES
    (1, '${live}', 'sms:message:status', 'report-1', 'm-1:1', 'DELIVRD', UTC_TIMESTAMP() - INTERVAL 10 MINUTE),
    (2, '${live}', 'sms:message:status', 'report-late', 'm-9:1', 'DELIVRD', UTC_TIMESTAMP() + INTERVAL 30 MINUTE);`;

const describeWithMariadb = server ? describe : describe.skip;

describeWithMariadb('the guide moves a Laravel application in', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'ringback-move-in-'));
  const socket = join(folder, 'mysql.sock');
  const calls = [];
  let mariadb;
  let receiver;
  let database;
  let terminal;
  let port;
  /** Types a block of the guide and resolves with what it prints. */
  const run = (code) => terminal.run(code.replaceAll('localhost:3000', `localhost:${port}`));
  const save = (name, sql) => fs.writeFileSync(join(folder, name), sql);
  const query = (sql) => {
    const { status, stderr } = spawnSync('mariadb', ['platform'], { input: sql, env: mysqlEnv() });
    if (status !== 0) throw new Error(stderr.toString());
  };
  const mysqlEnv = () => ({ PATH: process.env.PATH, HOME: folder });

  beforeAll(async () => {
    mariadb = await startMariadb(folder, socket);
    receiver = http.createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      calls.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.end();
    });
    await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const created = spawnSync('mariadb', ['--execute', 'CREATE DATABASE platform COLLATE utf8mb4_unicode_ci'], {
      env: mysqlEnv(),
    });
    if (created.status !== 0) throw new Error(created.stderr.toString());
    query(oldTables(receiver.address().port));
    database = await createTestDatabase();
    port = await findFreePort();
    linkRingback(folder);
    const { NODE_OPTIONS, REDIS_URL, ...inherited } = process.env;
    terminal = openTerminal(folder, {
      ...inherited,
      HOME: folder,
      PORT: String(port),
      DATABASE_URL: database.url,
      CUSTOMER_TOKEN: `12|${token}`,
      EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
      npm_config_update_notifier: 'false',
    });
  });
  afterAll(async () => {
    await terminal?.close();
    receiver?.close();
    await mariadb?.stop();
    await database?.drop();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  test('the export is imported, and the customer’s own token shows the customer’s own webhooks', async () => {
    await run(install);
    save('export.sql', exportSql);
    await run(runExport);
    const printed = await run(importAll);
    expect(printed).toContain('a dry run, nothing was stored');
    expect(printed).not.toMatch(/^line \d+:/m);
    expect(printed).toMatch(/^account +2 +0 +0 +0$/m);
    expect(printed).toMatch(/^access_token +1 +0 +0 +0$/m);
    expect(printed).toMatch(/^webhook +2 +0 +0 +0$/m);
    expect(printed).toMatch(/^subscription +2 +0 +0 +0$/m);
    await until(async () => (await fetch(`http://localhost:${port}/readyz`).catch(() => ({}))).ok, 'the API is ready');
    const { data } = JSON.parse(await run(callApi));
    expect(data).toEqual([
      expect.objectContaining({
        ...{ id: live, name: 'Bestellungen für 🚀', status: '1', secret: null, verification_code: 'verify-me' },
        payload: { message: '{{id}}', state: '{{status}}', n: 2.5, nested: { of: 'line\nbreak' } },
        ...{ created_at: '2022-02-03T04:05:06.000000Z', updated_at: '2022-03-03T04:05:06.000000Z' },
      }),
    ]);
  });

  test('in the trial an event is stored and not sent, and the two compare as equal', async () => {
    await run(platform);
    expect(await run(pushReport)).toContain('"state":"accepted"');
    const list = () => run('npx ringback delivery list');
    await until(async () => / skipped +delivery is off /.test(await list()), 'the delivery is skipped');
    // The comparison leaves out the last minute.
    spawnSync('psql', [database.url, '-c', "UPDATE deliveries SET created_at = created_at - interval '10 minutes'"]);
    save('sent.sql', sentSql);
    expect(await run(compare)).toContain('both would send the same');
    query("UPDATE webhook_calls SET status = 'UNDELIV' WHERE id = 1");
    expect(await run(`${compare.trim()} || true`)).toMatch(/^< .*UNDELIV\n---\n> .*DELIVRD$/m);
    expect(calls).toEqual([]);
  });

  test('after the switch an event is sent once, with the bearer and the signature that the receiver knows', async () => {
    expect(await run(restart)).toMatch(/^webhook +0 +0 +2 +0$/m);
    save('keys.sql', keysSql);
    expect(await run(importKeys)).toMatch(/^event_key +1 +0 +1 +0$/m);
    expect(await run(pushNext)).toContain('"state":"accepted"');
    await until(() => calls.length > 0, 'the receiver gets a callback');
    const [{ headers, body }] = calls;
    expect(JSON.parse(body)).toEqual({ message: 'm-2:1', state: 'DELIVRD', n: 2.5, nested: { of: 'line\nbreak' } });
    expect(headers.authorization).toBe('Bearer old-bearer');
    expect(headers.signature).toBe(createHmac('sha256', live).update(body).digest('hex'));
    // What the old sender took, in the trial or after it, is not sent again.
    const repeat = (id) => run(`sed 's/report-1/${id}/' report.json > repeat.json; push repeat.json`);
    expect(await repeat('report-1')).toContain('"state":"duplicate"');
    expect(await repeat('report-late')).toContain('"state":"duplicate"');
    await until(async () => / delivered /.test(await run('npx ringback delivery list')), 'the attempt is recorded');
    expect(calls).toHaveLength(1);
  });

  test('the way back has what customers changed, and what was taken', async () => {
    await run(back);
    const lines = fs
      .readFileSync(join(folder, 'back.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ type }) => type === 'webhook').map(({ id }) => id)).toEqual([live, deleted]);
    const keys = lines.filter(({ type }) => type === 'event_key').map(({ event_id }) => event_id);
    expect(keys.sort()).toEqual(['report-1', 'report-2', 'report-late']);
  });
});

/** `npx ringback` in this folder runs this clone. */
function linkRingback(folder) {
  fs.mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const program = `#!/bin/sh\nexec node '${join(root, 'scripts/ringback.cjs')}' "$@"\n`;
  fs.writeFileSync(join(folder, 'node_modules/.bin/ringback'), program, { mode: 0o755 });
}

/** Starts a MariaDB with its data in the folder, and lets its clients find it by a file in the same folder. */
async function startMariadb(folder, socket) {
  const data = join(folder, 'mysql');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const setUp = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'];
  const installed = spawnSync('mariadb-install-db', [...setUp, ...user]);
  if (installed.status !== 0) throw new Error(`${installed.stdout}${installed.stderr}`);
  fs.writeFileSync(join(folder, '.my.cnf'), `[client]\nsocket=${socket}\nuser=root\n`);
  const args = ['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, '--skip-networking', ...user];
  const settings = ['--default-time-zone=+05:30', '--character-set-server=utf8mb4', `--pid-file=${data}/pid`];
  const child = spawn(server, [...args, ...settings], { stdio: 'ignore' });
  await until(() => fs.existsSync(socket), 'MariaDB has started');
  return {
    stop: () =>
      new Promise((resolve) => {
        child.on('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}
