import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// The API's origin, for `npm run dev`.
const api = process.env.RINGBACK_ORIGIN ?? 'http://localhost:3000';

/** Preloads the app, so that the browser fetches it before main.tsx runs. */
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
        attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
      }));
    },
  },
};

// The modules that main.tsx imports. They must not wait for React.
const early = /\/src\/(session\/(link|host-page)|api\/(client|config|failure))\.ts$|\/openapi-fetch\//;
const usedByMostScreens =
  /\/src\/(api|layout|session|text|components\/(?!chart)|resources\/(?!advice|attempts|figures))|\/node_modules\//;

const groups = [
  { name: 'early', test: early, priority: 2 },
  { name: 'shared', test: usedByMostScreens, priority: 1 },
];

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('src', import.meta.url)),
  // The API puts the way from the page's path to `/portal/` before the names of files in index.html.
  base: command === 'build' ? './' : '/portal/',
  plugins: [react(), preloadApp],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // For the npm package (scripts/package.mjs). The API does not serve files whose name starts with a dot.
    license: { fileName: '.vite/license.json' },
    // The page's Content-Security-Policy allows data: URIs only for images of a theme.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Modules that most screens use are one chunk: each request costs a round trip, and HTTP/1.1 has six at once.
    rolldownOptions: {
      output: { codeSplitting: { groups } },
    },
  },
  server: { proxy: { '/api': api, '/portal/config.json': api } },
}));
