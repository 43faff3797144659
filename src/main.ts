/** The composition root: runs a command line and returns its exit code. All failures are caught here. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { secretsToCover } from './base/child-process.ts';
import { type Ending, listenForEnding } from './base/ending.ts';
import type { Environment } from './base/environment.ts';
import { Failure, usage } from './base/errors.ts';
import { boh } from './base/hint.ts';
import { coveringSecrets } from './base/mask.ts';
import { ownFolder } from './base/own-folders.ts';
import type { Pace } from './client/pace.ts';
import { run } from './commands/program.ts';
import type { Context, Globals, Traffic } from './context/context.ts';
import { repeatedFlags } from './context/where.ts';
import type { Api } from './contract/api.ts';
import { wantsMachine } from './output/chosen-format.ts';
import { api as ownApi } from './resources/index.ts';
import { sandboxFile } from './sandbox/store/sandbox-files.ts';
import type { Embedded } from './session/connection.ts';
import type { WriteObserver } from './session/observed-writes.ts';
import type { Session } from './session/session.ts';
import type { Settings } from './settings/settings.ts';
import { reportFailure, tell, warn } from './terminal/messages.ts';
import { OutputClosed, processStreams } from './terminal/streams.ts';
import { waiting, waitingForEach } from './terminal/waiting.ts';

/** For the launcher, after `main` has returned. */
export { endWith } from './base/ending.ts';

/** Runs a command line for an API. Returns its exit code, as `errors.ts` lists them; never throws. */
export async function main(
  argv: readonly string[],
  env: Environment = takeEnvironment(),
  openStreams: typeof processStreams = processStreams,
  api: Api = ownApi,
): Promise<number> {
  return coveringSecrets(secretsToCover(env), () => runCovered(argv, env, openStreams, api));
}

async function runCovered(
  argv: readonly string[],
  env: Environment,
  openStreams: typeof processStreams,
  api: Api,
): Promise<number> {
  const ending = listenForEnding();
  const context = contextFor(argv, { api, env, openStreams, ending });
  try {
    await Promise.race([run(argv, context), ending.overdue]);
    return context.exitCode;
  } catch (error) {
    return await exitCodeAfter(error, context);
  } finally {
    for (const finish of context.kept.finish) finish();
    for (const putBack of context.atEnd) putBack();
    ending.stop();
  }
}

/** Returns the environment, and removes secrets from that of this process: no browser or editor inherits them. */
function takeEnvironment(): Environment {
  const { ...own } = process.env;
  for (const name of ['BOH_TOKEN', 'BOH_CLIENT_SECRET', 'BOH_MIRROR']) delete process.env[name];
  return own;
}

/** Returns a context. Its `globals` are set when the command line is read; what depends on them is made on first use. */
function contextFor(
  argv: readonly string[],
  {
    api,
    env,
    openStreams,
    ending,
  }: { api: Api; env: Environment; openStreams: typeof processStreams; ending: Ending },
): Context {
  const { signal } = ending;
  const globals: Globals = {};
  const streams = once(() =>
    openStreams(env, {
      noColor: globals.color === false,
      noInput: globals.input === false,
      get quiet() {
        return globals.quiet === true;
      },
      get repeated() {
        return repeatedFlags(globals, context.mirrorPlace);
      },
    }),
  );
  const settings = once(async () => {
    const { loadSettings } = await import('./settings/store.ts');
    const loaded = await loadSettings(globals, env);
    for (const text of loaded.notes) warn(streams(), text);
    if (loaded.settings.quiet !== undefined) globals.quiet ??= loaded.settings.quiet;
    return loaded.settings;
  });
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
    endAfter: ending.endAfter,
    yieldTo: ending.yieldTo,
    now: () => new Date(),
    kept: { count: 0, number: undefined, run: undefined, finish: [], irreversible: new Set() },
    again: async (line) => {
      const next = contextFor(line, { api, env, openStreams, ending });
      try {
        await run(line, next);
      } finally {
        context.isWrite = next.isWrite;
        context.sent = next.sent;
        for (const finish of next.kept.finish) finish();
        context.atEnd.push(...next.atEnd);
      }
      context.exitCode = next.exitCode;
    },
    exitCode: 0,
    settings,
    session: once(async () => sessionFor(await settings(), context, signal)),
    sessionFor: (others, until = signal, traffic) => sessionFor(others, context, until, traffic),
  };
  return context;
}

async function sessionFor(
  settings: Settings,
  context: Context,
  signal: AbortSignal,
  traffic?: Traffic,
): Promise<Session> {
  const { api, env, globals, streams } = context;
  const [{ openSession }, { SentWrites }] = await Promise.all([
    import('./session/session.ts'),
    import('./session/observed-writes.ts'),
  ]);
  context.sent ??= new SentWrites();
  const host = hostOf(settings);
  return openSession({
    api,
    settings,
    env,
    signal,
    dryRun: globals.dryRun,
    offline: globals.offline,
    unchecked: globals.unchecked,
    embedded: (name) => openEmbedded(name, settings, context),
    concurrency: traffic?.concurrency,
    isPacedEmbedded: traffic?.isRateSaid,
    observers: [
      irreversibleWrites(context),
      ...(settings.history.journal ? [recording(settings, context)] : []),
      context.sent,
    ],
    paceFor: (key) => paceFor(key, settings, context),
    approve: async (account, call) => {
      const { approveWrites } = await import('./prompts/confirming/approve-writes.ts');
      await approveWrites(context, account, call);
    },
    // --yes is for runs without questions.
    choose:
      streams.interactive && !globals.yes
        ? async (wanted, session) => {
            const { chooseRecord } = await import('./prompts/ask-ids.ts');
            return chooseRecord(context, session, wanted);
          }
        : undefined,
    onWait: (reason, ms) => {
      if (!streams.quiet) warn(streams, `${reason} Trying again in ${Math.ceil(ms / 1000)} s.`);
    },
    onAsk: waitingForEach(streams, `Waiting for ${host}`),
    onAnswer: globals.verbose
      ? ({ method, target }, { status }, ms) => tell(streams, `${method} ${target}: ${status} in ${ms} ms`)
      : undefined,
  });
}

/** Reports writes that can't be undone, before the confirmation and before they are sent. */
function irreversibleWrites(context: Context): WriteObserver {
  return {
    planned: async (writes) =>
      (await import('./prompts/confirming/approve-writes.ts')).noteIrreversible(writes, context),
  };
}

/** Records writes in the journal, which is loaded with the first write. */
function recording(settings: Settings, context: Context): WriteObserver {
  const recorder = once(async () =>
    (await import('./commands/history/recording.ts')).recorderFor(settings, context),
  );
  return {
    before: async (batch, reader) => (await recorder()).before(batch, reader),
    after: async (write, outcome) => (await recorder()).after(write, outcome),
    leftOpen: async (run) => (await recorder()).leftOpen(run),
    reconciled: async (part, result) => (await recorder()).reconciled(part, result),
    runEnded: async (unsent) => (await recorder()).runEnded(unsent),
  };
}

/** Returns the host of the service, for messages. */
function hostOf({ sandbox, baseUrl = '' }: Settings): string {
  return sandbox === undefined ? (URL.parse(baseUrl)?.host ?? baseUrl) : 'the sandbox';
}

async function paceFor(key: string, { rate }: Settings, { env, streams }: Context): Promise<Pace> {
  const { openPace, readLimit } = await import('./pace/pace.ts');
  const file = join(ownFolder(env, 'cache'), 'pace.sqlite');
  const own = rate === undefined ? undefined : readLimit(rate);
  return openPace({ file, key, own, onWait: (sentence) => streams.quiet || tell(streams, sentence) });
}

/** Opens the embedded sandbox, which runs in this process. */
async function openEmbedded(
  name: string,
  { apiPrefix }: Settings,
  { api, env, signal, streams }: Context,
): Promise<Embedded> {
  const { openSandbox } = await import('./sandbox/service.ts');
  const file = sandboxFile(env, name);
  // Creating a sandbox blocks this process, so the progress line is shown before.
  const done = existsSync(file) ? undefined : waiting(streams, 'Preparing the sandbox', 0);
  const sandbox = await openSandbox({ api, file, apiPrefix, signal });
  done?.();
  return {
    handle: (request, signal) => sandbox.answer(request, { signal }),
    ownerToken: () => sandbox.ownerToken(),
    close: () => sandbox.close(),
  };
}

async function exitCodeAfter(error: unknown, context: Context): Promise<number> {
  // The reader closed the pipe, as `head` does: that is no failure.
  if (error instanceof OutputClosed) return 0;
  const { globals, streams, signal } = context;
  const interruption = signal.aborted && signal.reason instanceof Failure ? signal.reason : undefined;
  // The failure of an interrupted write says whether it may have happened.
  const isInterruption = error instanceof Failure && error.category === interruption?.category;
  const failure = withOutcome(interruption && !isInterruption ? interruption : asFailure(error), context);
  const machine = await wantsMachine(context);
  reportFailure(failure, streams, { machine, verbose: globals.verbose === true });
  return failure.exitCode;
}

/** Adds to the failure of a write command whether anything was written. Without a session nothing was sent. */
function withOutcome(failure: Failure, { isWrite, sent }: Context): Failure {
  if (!isWrite && (failure.details.outcome === undefined || !sent)) return failure;
  if (sent) return sent.ended(failure);
  return new Failure(failure.category, failure.message, { outcome: 'not_sent', ...failure.details });
}

/** Returns an error as a failure. An unexpected error is reported as a bug. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return usage('The current folder no longer exists.', {
      hint: 'Change to another folder and run the command again.',
      cause: error,
    });
  }
  if (error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG' && 'path' in error)
    return usage(`Can't use ${error.path}: the name is too long.`, { cause: error });
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new Failure('internal', `boh has a bug: ${what}`, {
    hint: boh.hint`Please report it, with the command line and the output of: ${boh.plain('version')}`,
    cause: error,
  });
}

/** Returns a function that makes a value on first use and then returns the same one. */
function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
