/** Starts other programs without passing boh's secrets to them. */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import type { Environment } from './environment.ts';
import { type KnownSecret, minSecretLength } from './redaction.ts';

/** The variables that contain secrets or may contain them. The URL of a mirror can include a password. */
const secretVariables = [
  'BOH_TOKEN',
  'BOH_CLIENT_SECRET',
  'BOH_WEBHOOK_SECRET',
  'BOH_SANDBOX_TOKEN',
  'BOH_SANDBOX_CONTROL_TOKEN',
  'BOH_MIRROR',
  'PGPASSWORD',
] as const;

/** The minimum length of a database password, in characters. A shorter one may be an ordinary word. */
const minPasswordLength = 12;

/** Returns the secrets of the environment: the values of its secret variables, and the passwords in URLs. */
export function secretsIn(env: Environment): KnownSecret[] {
  const secrets = secretVariables.flatMap((name) => {
    const value = env[name] ?? '';
    const values = name === 'BOH_MIRROR' ? passwordsIn(value) : [value, value.trim()];
    return values.map((secret) => ({ name, value: secret }));
  });
  return secrets.filter(
    ({ value }, index) =>
      value.length >= minSecretLength && secrets.findIndex((other) => other.value === value) === index,
  );
}

/**
 * Returns the secrets to redact in everything that is displayed or stored. A short or plain database password, such
 * as `postgres`, is redacted only where it is part of a URL, because any record may contain the word.
 */
export function secretsToRedact(env: Environment): KnownSecret[] {
  return secretsIn(env).flatMap(({ name, value }) => {
    const isPassword = name === 'PGPASSWORD' || name === 'BOH_MIRROR';
    const isCommon = isPassword && (value.length < minPasswordLength || /^\p{L}+$/u.test(value));
    const spellings = isCommon ? [`:${value}@`, `password=${value}`] : [value];
    return spellings.map((spelling) => ({ name, value: spelling }));
  });
}

/** Returns the possible passwords of a URL, which may contain reserved characters, and the password in its query. */
function passwordsIn(url: string): string[] {
  const passwords = [
    /^[a-z+]+:\/\/[^/@]*?:([^/@]*)@/i.exec(url)?.[1],
    /^[a-z+]+:\/\/[^/@]*?:(.*)@[^@]*$/i.exec(url)?.[1],
    /[?&]password=([^&#]*)/i.exec(url)?.[1],
  ];
  return passwords.flatMap((password = '') => [password, percentDecode(password)]);
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the environment for another program, without secret variables and without variables that contain a secret. */
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

/** Starts another program without the secrets of the environment. Throws or emits `error` as `spawn` does. */
function startProgram(command: string, args: readonly string[], options: ChildOptions): ChildProcess {
  return spawn(command, args, { ...options, env: withoutSecrets(options.env) });
}

/** Starts boh itself, or a program that the user runs with this environment. The environment is passed unchanged. */
export function startWithSecrets(
  command: string,
  args: readonly string[],
  options: ChildOptions,
): ChildProcess {
  return spawn(command, args, options);
}

/** Runs a command line in `/bin/sh`, or in the Windows shell. `args` are `$1` and so on; Windows ignores them. */
export function startShell(
  commandLine: string,
  args: readonly string[],
  options: ChildOptions,
): ChildProcess {
  if (process.platform !== 'win32') return startProgram('/bin/sh', ['-c', commandLine, ...args], options);
  return startProgram(commandLine, [], { ...options, shell: true });
}

/** Returns the standard output of a program. Throws if it can't be started, fails, or takes longer than `timeoutMs`. */
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

/**
 * Runs the work without the secret variables in the environment of this process, because libraries pass the environment
 * to other programs. Restores the variables afterwards.
 */
export async function withoutSecretVariables<T>(work: () => Promise<T>): Promise<T> {
  const removedVariables = secretVariables.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  for (const [name] of removedVariables) delete process.env[name];
  try {
    return await work();
  } finally {
    for (const [name, value] of removedVariables) process.env[name] = value;
  }
}
