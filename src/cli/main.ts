/** Runs a command line and returns its exit code. This is the composition root, which catches all failures. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../account/settings/settings.ts';
import type { Api } from '../api/contract/api.ts';
import { api as ownApi } from '../api/resources/index.ts';
import { appFolder } from '../base/app-folders.ts';
import { secretsToRedact } from '../base/child-process.ts';
import type { Environment } from '../base/environment.ts';
import { Failure, usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { once } from '../base/once.ts';
import { withSecretsRedacted } from '../base/redaction.ts';
import { handleSignals, type Shutdown } from '../base/shutdown.ts';
import { run } from './commands/program.ts';
import { type Context, type Globals, repeatedFlags } from './context/context.ts';
import { wantsJsonErrors } from './output/choose-format.ts';
import { reportFailure, warn } from './terminal/messages.ts';
import { OutputClosed, openProcessStreams } from './terminal/streams.ts';

/** Loads the settings and the session, which help doesn't need. */
const loadAccountModule = () => import('./main/account.ts');

/** Exits the process when it is done. The launcher calls it after `main` has returned. */
export { exitWhenDone as endWith } from '../base/shutdown.ts';

/** Runs a command line for an API. Returns its exit code, as `errors.ts` lists them; never throws. */
export async function main(
  argv: readonly string[],
  env: Environment = takeEnvironment(),
  openStreams: typeof openProcessStreams = openProcessStreams,
  api: Api = ownApi,
): Promise<number> {
  return withSecretsRedacted(secretsToRedact(env), () => runRedacted(argv, env, openStreams, api));
}

async function runRedacted(
  argv: readonly string[],
  env: Environment,
  openStreams: typeof openProcessStreams,
  api: Api,
): Promise<number> {
  const shutdown = handleSignals();
  const context = contextFor(argv, { api, env, openStreams, shutdown });
  try {
    await Promise.race([run(argv, context), shutdown.forcedExit]);
    return context.exitCode;
  } catch (error) {
    return await exitCodeAfter(error, context);
  } finally {
    for (const finish of context.recordedWrites.finish) finish();
    for (const restore of context.atEnd) restore();
    shutdown.stop();
  }
}

/** Returns the environment, and removes secrets from the process, so that browsers and editors don't inherit them. */
function takeEnvironment(): Environment {
  const { ...environment } = process.env;
  const names = ['BOH_TOKEN', 'BOH_CLIENT_SECRET', 'BOH_WEBHOOK_SECRET', 'BOH_MIRROR'];
  for (const name of [...names, 'BOH_SANDBOX_TOKEN', 'BOH_SANDBOX_CONTROL_TOKEN']) delete process.env[name];
  return environment;
}

/** The values that all command lines of one process share. */
interface ProcessContext {
  api: Api;
  env: Environment;
  openStreams: typeof openProcessStreams;
  shutdown: Shutdown;
}

/** Returns a context. Its `globals` are set when the command line is parsed; members that need them are created on first use. */
function contextFor(argv: readonly string[], shared: ProcessContext): Context {
  const { api, env, openStreams, shutdown } = shared;
  const { signal } = shutdown;
  const globals: Globals = {};
  const streams = once(() =>
    openStreams(env, {
      noColor: globals.color === false,
      noInput: globals.input === false,
      get quiet() {
        return globals.quiet === true;
      },
      get repeatedFlags() {
        return repeatedFlags(globals, context.mirrorLocation);
      },
    }),
  );
  const settings = once(() => loadAccountSettings(context));
  const context: Context = {
    api,
    atEnd: [],
    argv,
    get streams() {
      return streams();
    },
    env,
    globals,
    signal,
    endAfter: shutdown.shutDownAfter,
    waitForForeground: shutdown.waitForForeground,
    now: () => new Date(),
    recordedWrites: { count: 0, number: undefined, run: undefined, finish: [], irreversible: new Set() },
    rerun: (line) => runInstead(context, contextFor(line, shared)),
    exitCode: 0,
    settings,
    session: once(async () => context.sessionFor(await settings())),
    sessionFor: async (otherSettings, abortSignal = signal, traffic) =>
      (await loadAccountModule()).sessionFor(otherSettings, context, api, abortSignal, traffic),
    addDeployment: async () => {
      if (namesDeployment(env)) context.api = await deployedApiOf(api, context);
    },
  };
  return context;
}

/** Returns whether a variable or a profile names a preset, so that the settings decide which API a command has. */
function namesDeployment(env: Environment): boolean {
  if (env.BOH_LIKE) return true;
  try {
    const file = join(appFolder(env, 'config'), 'config.json');
    return existsSync(file) && readFileSync(file, 'utf8').includes('"like"');
  } catch {
    return false;
  }
}

/** Returns the API of the account. Invalid settings are reported when a command needs them. */
async function deployedApiOf(base: Api, { globals, env, streams }: Context): Promise<Api> {
  const { apiFor, loadSettings } = await loadAccountModule();
  try {
    const { settings, notes } = await loadSettings(globals, env);
    for (const text of notes) warn(streams, text);
    return await apiFor(base, settings);
  } catch (error) {
    if (error instanceof Failure) return base;
    throw error;
  }
}

async function loadAccountSettings({ globals, env, streams }: Context): Promise<Settings> {
  const { loadSettings, unknownVariableWarnings } = await loadAccountModule();
  const { settings, notes } = await loadSettings(globals, env);
  for (const text of [...notes, ...unknownVariableWarnings(env)]) warn(streams, text);
  // The stored preferences of a person don't change what a script reads.
  const isApplied = (variable: string | undefined) => streams.isTerminal.out || Boolean(variable);
  if (settings.quiet !== undefined && isApplied(env.BOH_QUIET)) globals.quiet ??= settings.quiet;
  return isApplied(env.BOH_OUTPUT) ? settings : { ...settings, output: undefined };
}

/** Runs another command line instead of the current one, and copies its state to the current context. */
async function runInstead(context: Context, next: Context): Promise<void> {
  try {
    await run(next.argv, next);
  } finally {
    context.isWrite = next.isWrite;
    context.sent = next.sent;
    for (const finish of next.recordedWrites.finish) finish();
    context.atEnd.push(...next.atEnd);
  }
  context.exitCode = next.exitCode;
}

async function exitCodeAfter(error: unknown, context: Context): Promise<number> {
  // The reader closed the pipe early, for example `head`. This isn't a failure.
  if (error instanceof OutputClosed) return 0;
  const { globals, streams, signal } = context;
  const interruption = signal.aborted && signal.reason instanceof Failure ? signal.reason : undefined;
  // The failure of an interrupted write contains its outcome.
  const isInterruption = error instanceof Failure && error.category === interruption?.category;
  const failure = withOutcome(interruption && !isInterruption ? interruption : asFailure(error), context);
  const isForProgram = await wantsJsonErrors(context);
  reportFailure(failure, streams, { isForProgram, verbose: globals.verbose === true });
  return failure.exitCode;
}

/** Adds the outcome to the failure of a write command. Without a session nothing was sent. */
function withOutcome(failure: Failure, { isWrite, sent }: Context): Failure {
  if (!isWrite && (failure.details.outcome === undefined || !sent)) return failure;
  if (sent) return sent.addOutcome(failure);
  return new Failure(failure.category, failure.message, { outcome: 'not_sent', ...failure.details });
}

/** Returns an error as a failure. An unexpected error is reported as a bug. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return usage('The current folder no longer exists.', {
      hint: 'Change to an existing folder and run the command again.',
      cause: error,
    });
  }
  if (error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG' && 'path' in error)
    return usage(`Can't use ${error.path}: the name is too long.`, { cause: error });
  const description = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new Failure('internal', `boh has a bug: ${description}`, {
    hint: boh.hint`Please report it, with the command line and the output of: ${boh.plain('version')}`,
    cause: error,
  });
}
