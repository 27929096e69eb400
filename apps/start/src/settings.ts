import { readConfig, type VariableName, variables } from '@ringback/runtime';

export type Settings = {
  port: number;
  databaseUrl?: string;
  redisUrl?: string;
  queuePrefix: string;
};

const names = Object.keys(variables).filter((name): name is VariableName => name in variables);

/**
 * Reads the environment. Validates all variables, so that an invalid one stops `npm start` before anything is changed.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const present = names.filter((name) => name !== 'DATABASE_URL' || env[name]);
  const config = readConfig(env, present);
  return {
    port: config.PORT,
    queuePrefix: config.QUEUE_PREFIX,
    ...(env.DATABASE_URL ? { databaseUrl: config.DATABASE_URL } : {}),
    ...(config.REDIS_URL === undefined ? {} : { redisUrl: config.REDIS_URL }),
  };
}

/**
 * The environment of the API and the worker. By default, callbacks may be sent to this machine, and both programs
 * listen on 127.0.0.1 only.
 */
export function childEnv(
  env: NodeJS.ProcessEnv,
  { databaseUrl, secretsKey }: { databaseUrl: string; secretsKey: string },
): NodeJS.ProcessEnv {
  const { EGRESS_ALLOW = '127.0.0.0/8,::1/128' } = env;
  return { ...env, DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey, EGRESS_ALLOW, HOST: env.HOST || '127.0.0.1' };
}
