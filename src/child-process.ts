/** Starts every other program: no secret of boh's reaches one that isn't meant to have it. */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import type { Environment } from './environment.ts';

/** Variables that are a secret, or may hold one: a mirror's address can have a password in it. */
const secretVariables = ['BOH_TOKEN', 'BOH_CLIENT_SECRET', 'BOH_MIRROR', 'PGPASSWORD'] as const;

/** Shorter values can't be told from other text. */
const minSecretLength = 8;

/** Returns the secrets of the environment: the values of its secret variables, of an address the password in it. */
export function secretsIn(env: Environment): string[] {
  const values = secretVariables.flatMap((name) => {
    const value = env[name] ?? '';
    if (name !== 'BOH_MIRROR') return [value];
    const password = /^[a-z+]+:\/\/[^/@]*:([^/@]*)@/i.exec(value)?.[1] ?? '';
    return [password, decoded(password)];
  });
  return [...new Set(values)].filter((value) => value.length >= minSecretLength);
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
        !secrets.some((secret) => value?.includes(secret)),
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
