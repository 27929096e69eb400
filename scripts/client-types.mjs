// Generates the types of packages/client from the API's OpenAPI document. The API must be built.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { buildOpenApiDocument } from '../apps/api/dist/openapi/document.js';
import { operations } from '../apps/api/dist/operations.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../packages/client/src/generated');
const described = buildOpenApiDocument(operations, {
  publicUrl: 'https://ringback.example',
  baseUrl: 'https://ringback.example/api/v2',
});
// In TypeScript, an object that may have further fields would have fields of any name, and hide misspelt ones.
const document = JSON.parse(
  JSON.stringify(described, (key, value) =>
    Object(value).properties && value.additionalProperties === true
      ? { ...value, additionalProperties: undefined }
      : value,
  ),
);
fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(join(folder, 'openapi.ts'), astToString(await openapiTS(document, { emptyObjectsUnknown: true })));
