import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// For `npm run dev`: where an API listens.
const api = process.env.RINGBACK_ORIGIN ?? 'http://localhost:3000';

/** Lets the browser fetch the app at once, and not only when main.tsx asks for it. */
const preloadApp = {
  name: 'preload-app',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const app = Object.values(bundle).find((chunk) => chunk.type === 'chunk' && chunk.name === 'app');
      const files = app ? [app.fileName, ...app.imports] : [];
      return files.map((file) => ({
        tag: 'link',
        injectTo: 'head',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/portal/${file}` },
      }));
    },
  },
};

// What main.tsx imports, which must not wait for React.
const early =
  /\/session\/(first-session|exchange-link-token|link-token)\.ts$|\/data\/(api|config|api-failure)\.ts$|\/frame\/|openapi-fetch/;
const shared = /\/src\/(components|data|layout|preferences|session|text|words)\/.*\.tsx?$|\/node_modules\//;

const groups = [
  { name: 'early', test: early, priority: 2 },
  { name: 'shared', test: shared, priority: 1 },
];

export default defineConfig({
  root: fileURLToPath(new URL('src', import.meta.url)),
  base: '/portal/',
  plugins: [react(), preloadApp],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // For the npm package (scripts/package.mjs). A name with a dot in front is not served.
    license: { fileName: '.vite/license.json' },
    // The Content-Security-Policy of the page allows no data: URIs except for images of a theme.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One chunk for what most screens share: each request costs a round trip, and HTTP/1.1 has six at once.
    rolldownOptions: {
      output: { codeSplitting: { groups } },
    },
  },
  server: { proxy: { '/api': api, '/portal/config.json': api } },
});
