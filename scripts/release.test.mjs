import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'child_process';
import { createHash } from 'crypto';
import { once } from 'events';
import fs from 'fs';
import { tmpdir } from 'os';
import { delimiter, dirname, join } from 'path';
import { npmCommand, root } from './prepare.mjs';
import { packFolder } from './release-files.mjs';
import { closeChangelog, formatCommits, sectionOf, withVersion } from './release-version.mjs';

const read = (folder, file) => fs.readFileSync(join(folder, file), 'utf8');
const folder = fs.mkdtempSync(join(tmpdir(), 'ringback-release-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

describe('the version', () => {
  const { version } = JSON.parse(read(root, 'package.json'));

  test('is the same in every file that carries it', () => {
    const different = [...withVersion(root, version)].filter(([file, text]) => text !== read(root, file));
    expect(different.map(([file]) => file)).toEqual([]);
  });

  test('is set in all of them', () => {
    const files = withVersion(root, '98.7.6');
    expect([...files].filter(([, text]) => !text.includes('98.7.6')).map(([file]) => file)).toEqual([]);
    const manifests = [...files].filter(([file]) => file.endsWith('package.json'));
    expect(manifests.length).toBeGreaterThan(15);
    const own = manifests.flatMap(([, text]) => Object.entries(JSON.parse(text).dependencies ?? {}));
    expect(own.filter(([name, asked]) => name.startsWith('@ringback/') && asked !== '98.7.6')).toEqual([]);
    const npmPackages = Object.values(JSON.parse(files.get('package-lock.json')).packages);
    expect(npmPackages.filter(({ name }) => name?.startsWith('@ringback/')).map((one) => one.version)).toEqual(
      manifests.slice(1).map(() => '98.7.6'),
    );
  });
});

describe('the changelog', () => {
  test('gets a section for the version, and an empty one for what comes next', () => {
    const before = '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [0.1.0] - 2026-01-01\n\n- first\n';
    const after = closeChangelog(before, '0.2.0', '2026-02-03');
    expect(after).toContain('## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n- new\n\n## [0.1.0]');
    expect([sectionOf(after, '0.2.0'), sectionOf(after, 'Unreleased')]).toEqual(['- new', '']);
    expect(() => closeChangelog(after, '0.3.0', '2026-02-04')).toThrow('nothing under [Unreleased]');
  });

  test('is followed by the features, fixes and breaking changes of the commits', () => {
    const log = ['a1 feat(api)!: drop x', 'b2 feat: y', 'c3 fix(worker): z', 'd4 docs: w', 'e5 Merge'].join('\n');
    expect(formatCommits(log)).toBe(
      '### Breaking\n\n- feat(api)!: drop x (a1)\n\n### Features\n\n- feat: y (b2)\n\n### Fixes\n\n- fix(worker): z (c3)\n',
    );
  });
});

test('the bytes of a packed chart do not depend on the times, order or permissions of its files', () => {
  const pack = (name, files) => {
    for (const [index, file] of files.entries()) {
      const path = join(folder, name, 'ringback', file);
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, file === '.helmignore' ? 'README.md\n' : file, { mode: index % 2 ? 0o600 : 0o664 });
      fs.utimesSync(path, index, index);
    }
    packFolder(join(folder, name, 'ringback'), join(folder, `${name}.tgz`));
    return createHash('sha256')
      .update(fs.readFileSync(join(folder, `${name}.tgz`)))
      .digest('hex');
  };
  const files = ['Chart.yaml', 'templates/api.yaml', 'values.yaml', '.helmignore', 'README.md'];
  const packed = files.slice(0, 3);
  expect(pack('one', files)).toBe(pack('other', files.slice().reverse()));
  const { stdout } = spawnSync('tar', ['-tzf', join(folder, 'one.tgz')], { encoding: 'utf8' });
  expect(stdout.split('\n').filter((path) => /[^/]$/.test(path))).toEqual(packed.map((file) => `ringback/${file}`));
});

test('the packed chart has the alert rules and the dashboard of deploy/ as files', () => {
  const file = join(folder, 'chart.tgz');
  packFolder(join(root, 'deploy/helm/ringback'), file);
  const tar = (...args) => spawnSync('tar', [...args], { encoding: 'utf8' }).stdout;
  expect(tar('-tvzf', file)).not.toMatch(/^[^-d]/m);
  const packed = ['rules.yaml', 'dashboard.json'].map((name) => tar('-xzOf', file, `ringback/files/${name}`));
  expect(packed).toEqual([read(root, 'deploy/prometheus/rules.yaml'), read(root, 'deploy/grafana/ringback.json')]);
});

// A project that has all that `npm run release` needs, and in which `npm run package` takes no time.
describe('npm run release', () => {
  const home = join(folder, 'project');
  const programs = join(home, 'dist/programs');
  const PATH = `${programs}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, GIT_CONFIG_GLOBAL: '/dev/null', TZ: 'UTC' };
  const git = (...args) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: home, encoding: 'utf8', env });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  const commit = (message) => git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qam', message);
  const release = (...args) => {
    const [command, ...first] = npmCommand();
    const all = [...first, 'run', '--silent', 'release', '--', ...args];
    const { status, stdout, stderr } = spawnSync(command, all, { cwd: home, encoding: 'utf8', env });
    return { status, stdout, stderr: stderr.replace(/^npm warn .*\n/gm, '') };
  };
  /** Puts a stand-in for Docker into PATH, because Docker is not on every machine and takes minutes. */
  const writeDocker = (script) => {
    fs.mkdirSync(programs, { recursive: true });
    fs.writeFileSync(join(programs, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  };
  const sums = () => read(home, 'dist/release/SHA256SUMS');

  beforeAll(() => {
    const write = (file, text) => {
      fs.mkdirSync(dirname(join(home, file)), { recursive: true });
      fs.writeFileSync(join(home, file), text);
    };
    const writeJson = (file, value) => write(file, `${JSON.stringify(value, null, 2)}\n`);
    for (const file of fs.readdirSync(join(root, 'scripts')).filter((name) => !name.includes('.test.')))
      write(`scripts/${file}`, read(root, join('scripts', file)));
    const ringback = { name: 'ringback', version: '0.1.0', private: true };
    const api = { name: '@ringback/api', version: '0.1.0' };
    const scripts = { release: 'node scripts/release.mjs', package: 'node pack.mjs', clients: 'node generate.mjs' };
    writeJson('package.json', { ...ringback, type: 'module', scripts });
    writeJson('apps/api/package.json', api);
    writeJson('package-lock.json', { ...ringback, packages: { '': ringback, 'apps/api': api } });
    write(
      'pack.mjs',
      `import fs from 'fs';
       import { packFolder } from './scripts/release-files.mjs';
       const { version } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
       fs.mkdirSync('dist/package', { recursive: true });
       fs.writeFileSync('dist/package/sbom.cdx.json', version);
       packFolder('dist/package', 'dist/release/ringback-' + version + '.tgz');`,
    );
    write(
      'generate.mjs',
      `import fs from 'fs';
       fs.mkdirSync('dist/release/clients', { recursive: true });
       fs.writeFileSync('dist/release/clients/ringback-client-go-0.2.0.tgz', '');`,
    );
    write('deploy/helm/ringback/Chart.yaml', 'name: ringback\nversion: 0.1.0\nappVersion: 0.1.0\n');
    write('deploy/helm/ringback/README.md', 'docker push registry.example.com/ringback:0.1.0\n');
    write('docs/guide/start.md', 'npm install CLONE/dist/release/ringback-0.1.0.tgz\n');
    write('Dockerfile', 'LABEL org.opencontainers.image.version=0.1.0\n');
    write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n- new\n');
    write('.gitignore', 'dist/\n');
    writeDocker('echo "Cannot connect to the Docker daemon" >&2; exit 1');
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    commit('feat: first');
  });

  test('makes the same bytes before and after its commit, and leaves a tagged tree as it was', () => {
    expect(release('0.2.0', '--dry-run')).toMatchObject({ status: 0, stderr: '' });
    expect(git('status', '--porcelain')).toBe('');
    const tried = sums();
    const first = release('0.2.0');
    expect(first).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('git commit -am') });
    expect(sums()).toBe(tried);
    expect(git('status', '--porcelain').split('\n').filter(Boolean).length).toBe(8);
    commit('chore: release 0.2.0');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'tag', '-a', 'v0.2.0', '-m', 'Ringback 0.2.0');
    expect(release('0.2.0')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.not.stringContaining('git commit'),
    });
    expect([sums(), git('status', '--porcelain')]).toEqual([tried, '']);
    expect(spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: join(home, 'dist/release') }).status).toBe(0);
    expect(sums().match(/\S+$/gm)).toEqual([
      'NOTES.md',
      'chart/ringback-0.2.0.tgz',
      'clients/ringback-client-go-0.2.0.tgz',
      'ringback-0.2.0.cdx.json',
      'ringback-0.2.0.tgz',
    ]);
    expect(read(home, 'dist/release/NOTES.md')).toMatch(
      /^# Ringback 0\.2\.0\n\n- new\n\n## Commits so far\n\n### Features\n\n- feat: first \(\w{10}\)\n$/,
    );
  });

  test.each([
    ['without a version', [], 'usage: npm run release -- <major.minor.patch> [--dry-run]'],
    ['with an invalid version', ['v1'], 'usage: npm run release -- <major.minor.patch> [--dry-run]'],
    ['without anything new', ['0.3.0'], 'CHANGELOG.md has nothing under [Unreleased]'],
  ])('%s changes nothing and says why', (_what, args, line) => {
    expect(release(...args)).toEqual({ status: 1, stdout: '', stderr: `ringback: ${line}\n` });
    expect(git('status', '--porcelain')).toBe('');
  });

  test('refuses a tree with changes', () => {
    fs.appendFileSync(join(home, 'Dockerfile'), '\n');
    const refused = release('0.3.0');
    expect([refused.status, refused.stderr]).toEqual([1, 'ringback: commit or stash these first:\nM Dockerfile\n']);
    git('checkout', '-q', '.');
  });

  const refusal = 'ERROR: OCI exporter is not supported for the docker driver.';

  test.each([
    [
      'Docker does not run',
      'echo "Cannot connect to the Docker daemon" >&2; exit 1',
      'Cannot connect to the Docker daemon',
    ],
    ['its driver cannot write archives', `[ "$1" = info ] || { echo "${refusal}" >&2; exit 1; }`, refusal],
  ])('makes everything but the image when %s, and prints no command for it', (_what, script, reason) => {
    writeDocker(script);
    const { status, stdout, stderr } = release('0.2.0');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(
      `NO IMAGE: docker buildx cannot write one here (${reason}). Everything else is complete.\n`,
    );
    expect(stdout).toContain('helm push');
    expect(stdout).not.toMatch(/skopeo|image\.tar/);
  });

  test('prints the command for the image that Docker wrote', () => {
    writeDocker(`for word; do case $word in type=oci,*) file=\${word#*dest=}; file=\${file%%,*}; esac; done
      [ "$file" = - ] || echo image >"$file"`);
    const { status, stdout } = release('0.2.0');
    expect([status, sums()]).toEqual([0, expect.stringContaining('ringback-0.2.0-image.tar')]);
    expect(stdout).toContain('skopeo copy oci-archive:dist/release/ringback-0.2.0-image.tar docker://');
  });

  const addFeature = (subject) => {
    fs.writeFileSync(
      join(home, 'CHANGELOG.md'),
      read(home, 'CHANGELOG.md').replace(/^## \[Unreleased\]\n/m, `$&\n- ${subject}\n`),
    );
    commit(`feat: ${subject}`);
  };

  test('stopped by Ctrl-C, leaves the tree as it was', async () => {
    addFeature('second');
    writeDocker('case "$*" in info | *dest=-*) ;; *) echo building; exec sleep 1000; esac');
    // A terminal sends SIGINT to all processes in the foreground.
    const stdio = ['ignore', 'pipe', 'inherit'];
    const child = spawn(process.execPath, ['scripts/release.mjs', '0.3.0'], { cwd: home, env, stdio, detached: true });
    for await (const chunk of child.stdout) if (String(chunk).includes('building')) break;
    expect(git('status', '--porcelain')).toContain('package.json');
    process.kill(-child.pid, 'SIGINT');
    await once(child, 'close');
    expect([child.exitCode, git('status', '--porcelain')]).toEqual([130, '']);
  });

  test('lists the commits since the last release, and not since its release candidate', () => {
    writeDocker('exit 1');
    for (const tag of ['v1.0.0', 'v1.0.0-rc.1']) git('tag', tag);
    addFeature('third');
    expect(release('1.1.0-rc.1', '--dry-run').status).toBe(0);
    expect(read(home, 'dist/release/NOTES.md')).toContain('## Commits since v1.0.0\n\n### Features\n\n- feat: third (');
  });

  test('publishes a release candidate under a tag of its own', () => {
    const { stdout } = release('1.1.0-rc.1');
    git('checkout', '-q', '.');
    expect(stdout.match(/npm publish.*/g)).toEqual([
      'npm publish --tag next dist/release/ringback-1.1.0-rc.1.tgz',
      'npm publish --tag next --access public dist/release/ringback-client-1.1.0-rc.1.tgz',
    ]);
  });
});
