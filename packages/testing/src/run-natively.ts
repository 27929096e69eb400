import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

type Runtime = {
  requireInternalModule: (path: string) => unknown;
  setGlobalsForRuntime: (globals: object) => void;
  unstable_shouldLoadAsEsm: (path: string) => boolean;
  unstable_importModule: (path: string) => Promise<unknown>;
};
type RunFile = (...args: [unknown, unknown, unknown, runtime: Runtime, ...unknown[]]) => Promise<unknown>;

const require = createRequire(import.meta.url);
const { default: runFile } = require('jest-circus/runner') as { default: RunFile };

// @jest/globals works only inside Jest; this replaces it.
register('./jest-globals-hook.js', import.meta.url);

/**
 * Runs a test file with jest-circus, Jest's default `testRunner`, but loads it with Node's loader. Jest's own loader
 * would load each module again for each test file. With Node's, the test files of a worker process share what they
 * import.
 */
export default function runWithNodeLoader(...args: Parameters<RunFile>): ReturnType<RunFile> {
  const [, , , runtime] = args;
  runtime.requireInternalModule = (path) => {
    // jest-circus collects tests and handlers in globals. Each test file needs new ones.
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  };
  runtime.setGlobalsForRuntime = (globals) => void Object.assign(globalThis, { jestGlobals: globals });
  runtime.unstable_shouldLoadAsEsm = () => true;
  runtime.unstable_importModule = (path) => import(pathToFileURL(path).href);
  return runFile(...args);
}
