/**
 * `boh __complete SHELL …`: called by the script of a shell at each Tab. It is quick or gives up, says nothing but
 * candidates, and asks nobody anything. Loaded for that alone.
 */
import { spawn } from 'node:child_process';
import { Command } from 'commander';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import type { HandWritten } from '../hand-written.ts';
import type { Candidate } from './candidate.ts';
import { candidatesFor } from './candidates.ts';
import { knownConfig, knownSettings } from './known-settings.ts';
import { type Line, readLine } from './line.ts';
import type { RecordCache } from './record-cache.ts';
import { recordSource } from './records.ts';
import { readAsked } from './shells.ts';
import { type Outside, sourcesFor } from './sources.ts';

/** Milliseconds for everything that is asked for; with the start of the program it stays below 300. */
const patience = 150;

/** For the process in the background that keeps an answer for the next Tab. */
const backgroundPatience = 10_000;
const inBackground = 'BOH_COMPLETE_IN_BACKGROUND';

export function completeCommand(
  words: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Command {
  return new Command('__complete')
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(() => complete(words, handWritten, context));
}

async function complete(
  [shell = '', ...args]: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Promise<void> {
  const isBackground = context.env[inBackground] !== undefined;
  const asked = readAsked(shell, args);
  const patient = AbortSignal.timeout(isBackground ? backgroundPatience : patience);
  let awaited: RecordCache | undefined;
  const outside = (line: Line): Outside => ({
    profiles: () => profiles(context),
    records: (resource, options) => {
      const onAsk = (cache: RecordCache) => {
        awaited = cache;
      };
      return recordSource(
        resource,
        knownSettings(line, context),
        { ...options, until: patient, onAsk },
        context,
      );
    },
  });
  const found = candidates();
  const result = await Promise.race([found, untilAborted(patient)]);
  if (result) await write(context.streams.stdout, asked.answer(result));
  if (!result && !isBackground) leave(awaited);

  async function candidates(): Promise<readonly Candidate[]> {
    context.globals.quiet = true;
    try {
      const line = await readLine(asked.before, handWritten, context);
      return await candidatesFor(line, asked.current, sourcesFor(line, outside(line)), handWritten);
    } catch {
      // An unknown command, a service that refuses, a damaged file: the command itself will say so.
      return [];
    }
  }
}

function profiles(context: Context): Candidate[] {
  const config = knownConfig(context);
  return Object.entries(config?.profiles ?? {}).map(([name, { business_name: about }]) => ({
    value: name,
    ...(about && { about }),
  }));
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

/**
 * Too slow for this Tab: another process waits for the answer, and the next Tab has it. A name that is still being
 * looked up can't be given up, so this process ends without it.
 */
function leave(awaited: RecordCache | undefined): void {
  const [, program = '', ...args] = process.argv;
  if (awaited?.claim()) {
    const env = { ...process.env, [inBackground]: '1' };
    spawn(process.execPath, [program, ...args], { detached: true, stdio: 'ignore', env }).unref();
  }
  process.exit(0);
}
