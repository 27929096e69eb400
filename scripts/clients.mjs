// `npm run clients [-- <folder> [<language> ...]]`: generates clients of the API from its OpenAPI document, by default
// for all languages and as archives in dist/release/clients. With --unpacked it writes folders. The API must be built.
// It needs Java 11 or later, and downloads OpenAPI Generator once for all clones, 32 MB.
import { spawnSync } from 'child_process';
import { createHash } from 'crypto';
import fs from 'fs';
import { homedir, tmpdir } from 'os';
import { join, resolve } from 'path';
import { root } from './prepare.mjs';
import { packFolder } from './release-files.mjs';

const generator = {
  version: '7.25.0',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
};
const central = 'https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli';

/** The name of each generator, and its options for a version. */
const languages = {
  python: (version) => [
    'python',
    { packageName: 'ringback_client', projectName: 'ringback-client', packageVersion: version },
  ],
  php: (version) => [
    'php',
    { invokerPackage: 'Ringback\\Client', composerPackageName: 'ringback/client', artifactVersion: version },
  ],
  go: (version) => ['go', { packageName: 'ringback', packageVersion: version }],
  java: (version) => [
    'java',
    {
      library: 'native',
      groupId: 'ringback',
      artifactId: 'ringback-client',
      artifactVersion: version,
      invokerPackage: 'ringback.client',
      apiPackage: 'ringback.client.api',
      modelPackage: 'ringback.client.model',
      enumUnknownDefaultCase: true,
    },
  ],
  csharp: (version) => [
    'csharp',
    {
      library: 'httpclient',
      packageName: 'Ringback.Client',
      packageVersion: version,
      // Otherwise each run has another one.
      packageGuid: '{5B8E2C3D-4E0A-4E46-9C0C-1F0D7C0A7B11}',
      targetFramework: 'net8.0',
      enumUnknownDefaultCase: true,
    },
  ],
};

/** Generates the clients of these languages. Each gets a folder with its name. */
async function generateClients(folder, names = Object.keys(languages)) {
  const unknown = names.find((name) => !(name in languages));
  if (unknown) throw new Error(`no client for ${unknown}; there are ${Object.keys(languages).join(', ')}`);
  requireJava();
  const jar = await fetchGenerator();
  const { version } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
  const stage = fs.mkdtempSync(join(tmpdir(), 'ringback-clients-'));
  try {
    const document = join(stage, 'openapi.json');
    fs.writeFileSync(document, JSON.stringify(await describeApi()));
    const configs = names.map((name) => {
      const [generatorName, additionalProperties] = languages[name](version);
      const config = {
        generatorName,
        inputSpec: document,
        outputDir: join(resolve(folder), name),
        // Two runs write the same bytes.
        additionalProperties: { ...additionalProperties, hideGenerationTimestamp: true },
      };
      const module = { gitHost: 'ringback.example', gitUserId: 'clients', gitRepoId: name };
      const file = join(stage, `${name}.json`);
      fs.writeFileSync(file, JSON.stringify({ ...config, ...module, globalProperties: withoutTests }));
      return file;
    });
    // One process for all: most of the time is its start.
    const args = ['-jar', jar, 'batch', '--fail-fast', '--root-dir', stage, ...configs];
    const { status, stdout, stderr } = spawnSync('java', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
    if (status !== 0) throw new Error(`OpenAPI Generator failed:\n${stdout.slice(-4000)}${stderr.slice(-4000)}`);
  } finally {
    fs.rmSync(stage, { recursive: true });
  }
}

const withoutTests = { apiTests: false, modelTests: false };

async function describeApi() {
  const { buildOpenApiDocument } = await import(join(root, 'apps/api/dist/openapi/document.js'));
  const { operations } = await import(join(root, 'apps/api/dist/operations.js'));
  return buildOpenApiDocument(operations, {
    publicUrl: 'http://localhost:3000',
    baseUrl: 'http://localhost:3000/api/v2',
  });
}

function requireJava() {
  if (spawnSync('java', ['-version']).status !== 0)
    throw new Error('the clients need Java 11 or later to be generated: install it, for example default-jre-headless');
}

/** Returns the path of OpenAPI Generator. It is downloaded if the cache of the user does not have it. */
async function fetchGenerator() {
  const { version, sha256 } = generator;
  const name = `openapi-generator-cli-${version}.jar`;
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ringback');
  const file = join(folder, name);
  const isRight = (bytes) => createHash('sha256').update(bytes).digest('hex') === sha256;
  if (fs.existsSync(file) && isRight(fs.readFileSync(file))) return file;
  const url = `${central}/${version}/${name}`;
  const response = await fetch(url).catch((error) => {
    throw new Error(`cannot download ${url}: ${error.cause?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`cannot download ${url}: status ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!isRight(bytes)) throw new Error(`${url} does not have the expected SHA-256`);
  fs.mkdirSync(folder, { recursive: true });
  // Another process may download the same file.
  fs.writeFileSync(`${file}.${process.pid}`, bytes);
  fs.renameSync(`${file}.${process.pid}`, file);
  return file;
}

async function main(args) {
  const isUnpacked = args.includes('--unpacked');
  const [folder = join(root, 'dist/release/clients'), ...named] = args.filter((arg) => arg !== '--unpacked');
  const names = named.length > 0 ? named : Object.keys(languages);
  if (isUnpacked) return generateClients(folder, names);
  const { version } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
  const stage = fs.mkdtempSync(join(tmpdir(), 'ringback-clients-'));
  try {
    await generateClients(stage, names);
    for (const name of names) {
      const file = join(folder, `ringback-client-${name}-${version}.tgz`);
      packFolder(join(stage, name), file);
      process.stdout.write(`${file}\n`);
    }
  } finally {
    fs.rmSync(stage, { recursive: true });
  }
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`ringback: ${error.message}\n`);
  process.exit(1);
});
