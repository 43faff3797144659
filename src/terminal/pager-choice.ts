/** Which program shows long results, and with which words it is started. */
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { outputOf } from '../base/child-process.ts';
import type { Environment } from '../base/environment.ts';

export interface PagerChoice {
  /** As the shell takes it. */
  command: string;
  /** The variables that it is started with. */
  env: Environment;
}

/** A name that could not be found, as it was given. */
export interface MissingPager {
  missing: string;
}

/**
 * What git and its like give less: colours, the text left on the screen, and no paging of what fits after all. A table
 * that is wider than the window isn’t folded: the arrow keys move it.
 */
const lessFlags = { text: 'FRX', table: 'FRSX' };

/** The first less that can hold header lines in place. */
const lessWithHeader = 600;

/**
 * BOH_PAGER, else PAGER, else less. Undefined where none is wanted (empty, or `cat`) or there is none.
 * `headerLines` is how many lines at the top a pager is to keep in place.
 */
export function choosePager(env: Environment, headerLines: number): PagerChoice | MissingPager | undefined {
  const given = env.BOH_PAGER ?? env.PAGER;
  const command = (given ?? 'less').trim();
  if (command === '' || command === 'cat') return undefined;
  const [program = ''] = command.split(/\s+/);
  // A word of the shell, such as VARIABLE=value, is for the shell to understand.
  const isPlain = /^[\w./+-]+$/.test(program);
  if (isPlain && !isThere(program, env)) return given === undefined ? undefined : { missing: command };
  if (!isPlain || basename(program) !== 'less') return { command, env };
  const frozen = headerLines > 0 && lessVersion(program, env) >= lessWithHeader;
  return {
    command: frozen ? `${command} --header ${headerLines}` : command,
    env: { LESS: lessFlags[headerLines > 0 ? 'table' : 'text'], ...env },
  };
}

function isThere(program: string, env: Environment): boolean {
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

/** 0 where it doesn’t say. */
function lessVersion(program: string, env: Environment): number {
  try {
    const said = outputOf(program, ['--version'], { env, timeoutMs: 1000 });
    return Number(/^less (\d+)/.exec(said)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
