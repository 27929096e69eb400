/**
 * The folder, with a slash at its end, that has the compiled programs (`apps/api/dist/main.js` and so on) for a test: the
 * clone, or in a run of all tests a folder with the bundles of these programs, which start in half of the time.
 */
export const homeOfPrograms = (root: string) => process.env.TEST_PROGRAMS ?? root;
