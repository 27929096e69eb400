// Part of the build of apps/api: copies the files of the page /docs to `dist`, with their licences.
import fs from 'fs';
import { createRequire } from 'module';
import { dirname, join } from 'path';
import { root } from './prepare.mjs';

const from = dirname(createRequire(join(root, 'apps/api/package.json')).resolve('swagger-ui-dist/package.json'));
const to = join(root, 'apps/api/dist/swagger-ui');
const files = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

fs.mkdirSync(to, { recursive: true });
for (const file of files) fs.copyFileSync(join(from, file), join(to, file));
