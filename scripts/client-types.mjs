// `node scripts/client-types.mjs`, after a build: generates the types of packages/client from the API's OpenAPI
// document.
import fs from 'fs';
import { join } from 'path';
import { fileURLToPath } from 'url';
import openapiTS, { astToString } from 'openapi-typescript';
import { format } from 'prettier';
import { describeApi } from '../apps/api/dist/openapi/document.js';
import { operations } from '../apps/api/dist/operations.js';
import { root } from './prepare.mjs';

export const clientTypes = join(root, 'packages/client/src/openapi.ts');

const head = `/* eslint-disable max-lines */
// Generated from the API's OpenAPI document by \`node scripts/client-types.mjs\`. A test fails when it is out of date.
`;

/** Generates the text of the file. */
export async function generateClientTypes() {
  const document = describeApi(operations, 'https://ringback.example/api/v2');
  const text = head + astToString(await openapiTS(document));
  const options = JSON.parse(fs.readFileSync(join(root, '.prettierrc.json'), 'utf8'));
  return format(text, { ...options, parser: 'typescript' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) fs.writeFileSync(clientTypes, await generateClientTypes());
