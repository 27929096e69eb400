type Functions = Record<string, (...args: unknown[]) => unknown>;

/** The function of this name that belongs to the test file that runs now. Fixtures are loaded once and keep the proxy. */
function global(name: string) {
  const current = () => {
    const found = (globalThis as { jestGlobals?: Functions }).jestGlobals?.[name];
    if (!found) throw new Error(`${name} is only available in a test file`);
    return found;
  };
  return new Proxy(current, {
    apply: (_target, _this, args: unknown[]) => current()(...args),
    get: (_target, key): unknown => Reflect.get(current(), key),
  });
}

export const afterAll = global('afterAll');
export const afterEach = global('afterEach');
export const beforeAll = global('beforeAll');
export const beforeEach = global('beforeEach');
export const describe = global('describe');
export const expect = global('expect');
export const test = global('test');
