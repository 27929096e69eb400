/** The environment of a process in which something is broken on purpose, by a file of `sabotage/`. */
export const sabotaged = (by: 'no-backoff' | 'no-stalls'): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${new URL(`sabotage/${by}.js`, import.meta.url).href}`,
});
