type Functions = Record<string, (...args: unknown[]) => unknown>;

/**
 * Creates a proxy for a function of Jest. The proxy calls the function of the test file that runs now, because a
 * fixture that several test files import is loaded only once.
 */
function createProxy(name: string) {
  const current = () => {
    const original = (globalThis as { jestGlobals?: Functions }).jestGlobals?.[name];
    if (!original) throw new Error(`${name} is only available in a test file`);
    return original;
  };
  return new Proxy(current, {
    apply: (_target, _this, args: unknown[]) => current()(...args),
    get: (_target, key): unknown => Reflect.get(current(), key),
  });
}

export const afterAll = createProxy('afterAll');
export const afterEach = createProxy('afterEach');
export const beforeAll = createProxy('beforeAll');
export const beforeEach = createProxy('beforeEach');
export const describe = createProxy('describe');
export const expect = createProxy('expect');
export const test = createProxy('test');
