/** Environment variables with which a process loads a file of `sabotage/`, which breaks it on purpose. */
export const sabotaged = (file: 'no-backoff' | 'no-stalls'): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${new URL(`sabotage/${file}.js`, import.meta.url).href}`,
});
