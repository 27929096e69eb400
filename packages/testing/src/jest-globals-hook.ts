import type { ResolveHook } from 'node:module';

const globals = new URL('jest-globals.js', import.meta.url).href;

/** Lets tests import `jest-globals.ts` as `@jest/globals`. */
export const resolve: ResolveHook = (specifier, context, next) =>
  specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context);
