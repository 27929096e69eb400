import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kafkaJars, kafkaVersion } from './kafka-jars.data.js';

const central = 'https://repo1.maven.org/maven2/';
const folder = fileURLToPath(new URL(`../../../../node_modules/.cache/kafka-${kafkaVersion}`, import.meta.url));

export const hasJava = (): boolean => spawnSync('java', ['-version']).status === 0;

/** Downloads the missing jars of Kafka from Maven Central, 44 MB, and resolves with the class path. */
export async function fetchKafka(): Promise<string> {
  mkdirSync(folder, { recursive: true });
  await Promise.all(kafkaJars.map(([path, sha256]) => fetchJar(path, sha256)));
  return join(folder, '*');
}

async function fetchJar(path: string, sha256: string): Promise<void> {
  const file = join(folder, basename(path));
  const isRight = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex') === sha256;
  if (existsSync(file) && isRight(readFileSync(file))) return;
  const response = await fetch(central + path);
  if (!response.ok) throw new Error(`${central}${path} answered ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!isRight(bytes)) throw new Error(`${central}${path} does not have the expected SHA-256`);
  // Another process may download the same file.
  writeFileSync(`${file}.${process.pid}`, bytes);
  renameSync(`${file}.${process.pid}`, file);
}
