/**
 * `boh __complete SHELL …`: the script of a shell calls it at each Tab. It waits for records only for a limited time, prints
 * only candidates and never prompts.
 */
import { startWithSecrets } from '../../base/child-process.ts';
import type { Context } from '../../context/context.ts';
import { showText } from '../../output/show-value.ts';
import { Command } from '../command.ts';
import type { HandWritten } from '../hand-written.ts';
import type { Candidate } from './candidate.ts';
import { candidatesFor } from './candidates.ts';
import { readLine } from './line.ts';
import type { RecordCache } from './record-cache.ts';
import { readCursorLine } from './shells.ts';

/** The time limit for records; with the start of the program it stays below 300 ms. Commands and flags have none. */
const timeLimitMs = 150;

/** The time limit of the background process, which waits for what this one can't. */
const backgroundTimeLimitMs = 10_000;
const patienceVariable = 'BOH_COMPLETION_PATIENCE';

/** Returns the command `boh __complete`. */
export function completeCommand(
  words: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Command {
  return new Command('__complete')
    .argument('[words...]')
    .helpOption(false)
    .action(() => complete(words, handWritten, context));
}

async function complete(
  [shell = '', ...args]: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Promise<void> {
  context.globals.quiet = true;
  const cursorLine = readCursorLine(shell, args);
  const given = context.env[patienceVariable];
  const until = AbortSignal.timeout(Number(given ?? timeLimitMs));
  const timedOut = new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
  const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
  let awaited: RecordCache | undefined;
  const onAsk = (cache: RecordCache) => {
    awaited = cache;
    noteAsked();
  };
  const search = async (): Promise<readonly Candidate[]> => {
    const line = await readLine(cursorLine.before, handWritten, context);
    const sources = async () => (await import('./outside.ts')).sourcesOf(line, { until, onAsk }, context);
    return candidatesFor(line, cursorLine.current, sources, { api: context.api, handWritten });
  };
  // The command itself reports an unknown command, a refusal of the service or a damaged file.
  const found = search().catch(() => []);
  const candidates = await Promise.race([found, Promise.all([timedOut, asked]).then(() => undefined)]);
  if (candidates) return showText(context, { text: cursorLine.answer(candidates) });
  if (given === undefined) await leave(awaited, context);
}

/**
 * Starts a background process that waits for the response, so that the next Tab has it, and ends this one: a DNS lookup
 * can't be canceled.
 */
async function leave(awaited: RecordCache | undefined, context: Context): Promise<void> {
  const [, program = '', ...words] = process.argv;
  // A single executable has no script argument.
  const args = program === process.execPath ? words : [program, ...words];
  if (awaited?.claim()) {
    // It sends the request of this process, so it gets the token too.
    const env = { ...context.env, [patienceVariable]: String(backgroundTimeLimitMs) };
    startWithSecrets(process.execPath, args, { detached: true, stdio: 'ignore', env }).unref();
  }
  process.exit(0);
}
