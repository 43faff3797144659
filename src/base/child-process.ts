/** Starts every other program: no secret of boh's reaches one that isn't meant to have it. */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import type { Environment } from './environment.ts';
import { type KnownSecret, minSecretLength } from './mask.ts';

/** Variables that are a secret, or may hold one: a mirror's address can have a password in it. */
const secretVariables = ['BOH_TOKEN', 'BOH_CLIENT_SECRET', 'BOH_MIRROR', 'PGPASSWORD'] as const;

/** Shorter passwords of databases may be words. */
const minPasswordLength = 12;

/** Returns the secrets of the environment: the values of its secret variables, of an address the password in it. */
export function secretsIn(env: Environment): KnownSecret[] {
  const secrets = secretVariables.flatMap((name) => {
    const value = env[name] ?? '';
    const values = name === 'BOH_MIRROR' ? passwordsIn(value) : [value, value.trim()];
    return values.map((one) => ({ name, value: one }));
  });
  return secrets.filter(
    ({ value }, at) =>
      value.length >= minSecretLength && secrets.findIndex((other) => other.value === value) === at,
  );
}

/**
 * Returns the secrets that are covered in whatever is shown or kept. Of a short or plain database password, as `postgres`,
 * only what may stand in an address is one: any record may hold the word.
 */
export function secretsToCover(env: Environment): KnownSecret[] {
  return secretsIn(env).flatMap(({ name, value }) => {
    const isPassword = name === 'PGPASSWORD' || name === 'BOH_MIRROR';
    const isCommon = isPassword && (value.length < minPasswordLength || /^\p{L}+$/u.test(value));
    const texts = isCommon ? [`:${value}@`, `password=${value}`] : [value];
    return texts.map((text) => ({ name, value: text }));
  });
}

/** The password of an address, which may be written with reserved characters in it, and the one in its query. */
function passwordsIn(address: string): string[] {
  const found = [
    /^[a-z+]+:\/\/[^/@]*?:([^/@]*)@/i.exec(address)?.[1],
    /^[a-z+]+:\/\/[^/@]*?:(.*)@[^@]*$/i.exec(address)?.[1],
    /[?&]password=([^&#]*)/i.exec(address)?.[1],
  ];
  return found.flatMap((password = '') => [password, decoded(password)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the environment for another program: without secret variables, and without those that hold such a secret. */
function withoutSecrets(env: Environment): Environment {
  const secrets = secretsIn(env);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        !secretVariables.some((secret) => secret === name) &&
        !secrets.some((secret) => value?.includes(secret.value)),
    ),
  );
}

type ChildOptions = Omit<SpawnOptions, 'env'> & { env: Environment };

/** Starts another program, without the secrets of the environment. Throws or emits `error` as `spawn` does. */
function startProgram(command: string, args: readonly string[], options: ChildOptions): ChildProcess {
  return spawn(command, args, { ...options, env: withoutSecrets(options.env) });
}

/** Starts boh itself, or what was asked for with exactly this environment: it is passed on as it is. */
export function startWithSecrets(
  command: string,
  args: readonly string[],
  options: ChildOptions,
): ChildProcess {
  return spawn(command, args, options);
}

/** Runs a line of the shell: of `/bin/sh`, or of the shell that Windows has. `args` are its `$1` and so on, where there are such. */
export function startShell(line: string, args: readonly string[], options: ChildOptions): ChildProcess {
  if (process.platform !== 'win32') return startProgram('/bin/sh', ['-c', line, ...args], options);
  return startProgram(line, [], { ...options, shell: true });
}

/** Returns what a program prints; throws where it can't be started, fails, or takes longer. */
export function outputOf(
  program: string,
  args: readonly string[],
  { env, timeoutMs }: { env: Environment; timeoutMs: number },
): string {
  return execFileSync(program, args, {
    env: withoutSecrets(env),
    encoding: 'utf8',
    timeout: timeoutMs,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Does the work while secret variables are missing from this process's own environment, which libraries pass on. */
export async function hidingSecrets<T>(work: () => Promise<T>): Promise<T> {
  const kept = secretVariables.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  for (const [name] of kept) delete process.env[name];
  try {
    return await work();
  } finally {
    for (const [name, value] of kept) process.env[name] = value;
  }
}
