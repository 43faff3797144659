/**
 * `boh __complete SHELL …`: called by the script of a shell at each Tab. It is quick or gives up, says nothing but
 * candidates, and asks nobody anything.
 */
import type { Context } from '../../context/context.ts';
import { showText } from '../../output/show-value.ts';
import { Command } from '../command.ts';
import type { HandWritten } from '../hand-written.ts';
import type { Candidate } from './candidate.ts';
import { candidatesFor } from './candidates.ts';
import { readLine } from './line.ts';
import type { RecordCache } from './record-cache.ts';
import { readAsked } from './shells.ts';

/** Milliseconds for everything that is asked for; with the start of the program it stays below 300. */
const patience = 150;

/** For the process in the background that waits for what this one can't. */
const longPatience = 10_000;
const patienceVariable = 'BOH_COMPLETION_PATIENCE';

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
  const asked = readAsked(shell, args);
  const given = context.env[patienceVariable];
  const until = AbortSignal.timeout(Number(given ?? patience));
  let awaited: RecordCache | undefined;
  const onAsk = (cache: RecordCache) => {
    awaited = cache;
  };
  const search = async (): Promise<readonly Candidate[]> => {
    const line = await readLine(asked.before, handWritten, context);
    const sources = async () => (await import('./outside.ts')).sourcesOf(line, { until, onAsk }, context);
    return candidatesFor(line, asked.current, sources, { api: context.api, handWritten });
  };
  // An unknown command, a service that refuses, a damaged file: the command itself will say so.
  const found = search().catch(() => []);
  const candidates = await Promise.race([found, aborted(until)]);
  if (candidates) return showText(context, { text: asked.answer(candidates) });
  if (given === undefined) await leave(awaited, context);
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

/**
 * Too slow for this Tab: another process waits for the answer, and the next Tab has it. A name that is still being
 * looked up can't be given up, so this process ends without it.
 */
async function leave(awaited: RecordCache | undefined, context: Context): Promise<void> {
  const [, program = '', ...words] = process.argv;
  // A single executable is its own program.
  const args = program === process.execPath ? words : [program, ...words];
  if (awaited?.claim()) {
    // It asks the service in our place, so it is given the token too.
    const env = { ...context.env, [patienceVariable]: String(longPatience) };
    const { startWithSecrets } = await import('../../base/child-process.ts');
    startWithSecrets(process.execPath, args, { detached: true, stdio: 'ignore', env }).unref();
  }
  process.exit(0);
}
