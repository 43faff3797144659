/** The composition root: the command line in, the exit code out; the only place that catches. */
import type { ClientOptions } from './client/client.ts';
import type { Context } from './commands/context.ts';
import type { Globals } from './commands/globals.ts';
import type { ScopedClient } from './commands/guards/within-scopes.ts';
import { run } from './commands/program.ts';
import { failureInPlace } from './commands/where.ts';
import { Failure } from './errors.ts';
import type { Environment } from './settings/layers.ts';
import type { Settings } from './settings/settings.ts';
import { note, reportFailure, warn } from './terminal/messages.ts';
import { OutputClosed, processStreams } from './terminal/streams.ts';

/** Runs one command line. Answers its exit code, as `errors.ts` lists them; never throws. */
export async function main(
  argv: readonly string[],
  env: Environment = takeEnvironment(),
  openStreams: typeof processStreams = processStreams,
): Promise<number> {
  const interruption = listenForSignals();
  const context = contextFor(env, openStreams, interruption.signal);
  try {
    await run(argv, context);
    return context.exitCode;
  } catch (error) {
    return await exitCodeAfter(error, context);
  } finally {
    interruption.stop();
  }
}

/** For us alone: no browser, editor or other program that is started from here inherits a secret. */
function takeEnvironment(): Environment {
  const { ...own } = process.env;
  for (const name of ['BOH_TOKEN', 'BOH_CLIENT_SECRET']) delete process.env[name];
  return own;
}

/** `globals` are filled in as the line is read; what rests on them is made when it is first used. */
function contextFor(env: Environment, openStreams: typeof processStreams, signal: AbortSignal): Context {
  const globals: Globals = {};
  const streams = once(() =>
    openStreams(env, {
      noColor: globals.color === false,
      noInput: globals.input === false,
      get quiet() {
        return globals.quiet === true;
      },
    }),
  );
  const settings = once(async () => {
    const { loadSettings } = await import('./settings/load.ts');
    const loaded = await loadSettings(globals, env);
    for (const text of loaded.notes) warn(streams(), text);
    if (loaded.settings.quiet !== undefined) globals.quiet ??= loaded.settings.quiet;
    return loaded.settings;
  });
  const context: Context = {
    get streams() {
      return streams();
    },
    env,
    globals,
    signal,
    now: () => new Date(),
    exitCode: 0,
    settings,
    client: once(async () => clientFor(await settings(), context)),
    connect: (others, until = signal) => clientFor(others, { ...context, signal: until }),
  };
  return context;
}

async function clientFor(settings: Settings, context: Context): Promise<ScopedClient> {
  const { env, globals, streams, signal } = context;
  const [{ createClient }, { withinScopes }, { tokenScopes }, { userAgent }, connection] = await Promise.all([
    import('./client/client.ts'),
    import('./commands/guards/within-scopes.ts'),
    import('./commands/guards/token-scopes.ts'),
    import('./version.ts'),
    settings.sandbox === undefined ? networkFor(settings, context) : sandboxFor(settings, context),
  ]);
  const client = createClient({
    ...connection,
    apiPrefix: settings.apiPrefix,
    wire: settings.wire,
    userAgent: userAgent(),
    signal,
    onWait: (reason, ms) => {
      if (!streams.quiet) warn(streams, `${reason} Trying again in ${Math.ceil(ms / 1000)} s.`);
    },
    onAnswer: globals.verbose
      ? ({ method, target }, { status }, ms) => note(streams, `${method} ${target}: ${status} in ${ms} ms`)
      : undefined,
  });
  // The owner of a sandbox and a dry run go without the token of the settings, and so without its scopes.
  const token = connection.token === settings.token ? settings.token : undefined;
  const scopes = tokenScopes({ ...settings, token }, env);
  return withinScopes(client, scopes, { unchecked: globals.unchecked ?? false });
}

type Connection = Pick<ClientOptions, 'transport' | 'token'>;

async function networkFor(settings: Settings, { env, globals }: Context): Promise<Connection> {
  const [{ networkTransport }, { requireBaseUrl, requireToken }] = await Promise.all([
    import('./client/network.ts'),
    import('./settings/settings.ts'),
  ]);
  const baseUrl = requireBaseUrl(settings);
  return {
    transport: networkTransport({ baseUrl, timeoutMs: settings.timeoutMs, env }),
    // A dry run sends nothing, so it can be tried before there is a token.
    token: globals.dryRun ? undefined : requireToken(settings),
  };
}

/** The sandbox in this process. Someone who has signed in to it goes by that token; anyone else is its owner. */
async function sandboxFor(settings: Settings, { env, globals }: Context): Promise<Connection> {
  const { embeddedTransport } = await import('./client/embedded.ts');
  if (globals.dryRun) return { transport: embeddedTransport(nothingIsSent), token: undefined };
  const [{ openSandbox }, { sandboxFile }, { api }] = await Promise.all([
    import('./sandbox/service.ts'),
    import('./sandbox/store/place.ts'),
    import('./resources/index.ts'),
  ]);
  const { apiPrefix, token } = settings;
  const sandbox = await openSandbox({ api, file: sandboxFile(env, settings.sandbox ?? ''), apiPrefix });
  const owner = sandbox.ownerToken();
  return {
    transport: embeddedTransport((request) => sandbox.handle(request)),
    token: token ?? { reveal: () => owner },
  };
}

function nothingIsSent(): never {
  throw new Error('a dry run sends nothing');
}

async function exitCodeAfter(error: unknown, context: Context): Promise<number> {
  // The reader had enough, as `head` does: that is no failure.
  if (error instanceof OutputClosed) return 0;
  const { globals, streams, signal } = context;
  const interruption = signal.aborted && signal.reason instanceof Failure ? signal.reason : undefined;
  // A write that was interrupted says itself whether it may have happened.
  const isTold = error instanceof Failure && error.category === 'interrupted';
  const failure = interruption && !isTold ? interruption : asFailure(error);
  const machine = await wantsMachine(context);
  reportFailure(failureInPlace(failure, globals), streams, { machine, verbose: globals.verbose === true });
  return failure.exitCode;
}

/** Whatever was not designed is a bug of boh's own. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new Failure('internal', `boh has a bug: ${what}`, {
    hint: 'Please report it, with the command line and the output of `boh version`.',
    cause: error,
  });
}

/** Where the settings are what failed, line and environment say it alone. */
async function wantsMachine({ settings, globals, streams, env }: Context): Promise<boolean> {
  const settled = await settings().catch(() => undefined);
  const errors = settled ? settled.errors : env.BOH_ERRORS;
  if (errors !== undefined && errors !== '') return errors === 'json';
  const output = globals.output ?? settled?.output;
  return output === undefined ? !streams.isTerminal.out : output === 'json' || output === 'ndjson';
}

/** SIGINT and SIGTERM abort what is under way; a second one ends the process at once. */
function listenForSignals(): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  const onSignal = (name: NodeJS.Signals) => {
    const exitCode = codes[name as keyof typeof codes];
    if (controller.signal.aborted) process.exit(exitCode);
    controller.abort(new Failure('interrupted', 'Interrupted.', { exitCode }));
  };
  for (const name of Object.keys(codes)) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of Object.keys(codes)) process.off(name, onSignal);
      // A question that was ended may have left a request behind: nobody waits for its answer any more.
      controller.abort(new Failure('interrupted', 'It is over.'));
    },
  };
}

/** Done on first use, and only once. */
function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
