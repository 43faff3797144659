/** Chooses the pager for long results and its command line. */
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { outputOf } from '../base/child-process.ts';
import type { Environment } from '../base/environment.ts';

/** The pager to start. */
export interface PagerChoice {
  /** The command line for the shell. */
  command: string;
  /** The environment of the pager. */
  env: Environment;
}

/** A configured pager that was not found. */
export interface MissingPager {
  missing: string;
}

/**
 * The flags that git gives less: colors, no paging of text that fits, and no clearing of the screen. A wide table isn't
 * wrapped: the arrow keys scroll it.
 */
const lessFlags = { text: 'FRX', table: 'FRSX' };

/** The first version of less with `--header`. */
const minHeaderVersion = 600;

/**
 * Returns the pager: BOH_PAGER, else PAGER, else less. Undefined if the value is empty or `cat`, or if less isn't found.
 * `headerLines` is the number of lines at the top that the pager keeps in place.
 */
export function choosePager(env: Environment, headerLines: number): PagerChoice | MissingPager | undefined {
  const configured = env.BOH_PAGER ?? env.PAGER;
  const command = (configured ?? 'less').trim();
  if (command === '' || command === 'cat') return undefined;
  const [program = ''] = command.split(/\s+/);
  // Shell syntax, such as VARIABLE=value, is left to the shell.
  const isPlainProgram = /^[\w./+-]+$/.test(program);
  if (isPlainProgram && !isExecutable(program, env))
    return configured === undefined ? undefined : { missing: command };
  if (!isPlainProgram || basename(program) !== 'less') return { command, env };
  const keepsHeader = headerLines > 0 && lessVersion(program, env) >= minHeaderVersion;
  return {
    command: keepsHeader ? `${command} --header ${headerLines}` : command,
    env: { LESS: lessFlags[headerLines > 0 ? 'table' : 'text'], ...env },
  };
}

function isExecutable(program: string, env: Environment): boolean {
  const folders = program.includes('/') ? [''] : (env.PATH ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns the version of less, or 0 if it isn't known. */
function lessVersion(program: string, env: Environment): number {
  try {
    const output = outputOf(program, ['--version'], { env, timeoutMs: 1000 });
    return Number(/^less (\d+)/.exec(output)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
