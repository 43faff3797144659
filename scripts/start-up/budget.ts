/**
 * What common commands load: figures that don't depend on the mood of the machine.
 * Run by itself it records them as the new limits, which the tests then hold the program to.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { type Place, startPlace } from './place.ts';

export interface Loads {
  /** Files of boh itself. */
  files: number;
  /** Their size in bytes: all of it is parsed. */
  bytes: number;
  /** Modules of Node beyond those that an empty script loads. */
  builtins: number;
}

export type Budget = Record<string, Loads>;

const budgetFile = join(root, 'test/package/start-up-budget.json');
const commands = [
  '--version',
  '--help',
  'customers --help',
  'customers list -o json',
  '--sandbox customers list -o json',
  '--sandbox suppliers create --name Farms',
  '__complete zsh =--na customers list',
];
/** So much may a figure grow before someone has to look at it. */
const slack = 1.05;

export function recordedBudget(): Budget {
  return JSON.parse(readFileSync(budgetFile, 'utf8'));
}

export async function measuredLoads(): Promise<Budget> {
  const place = await startPlace();
  try {
    // The first use of a sandbox makes it, and the first write its history, which is another matter.
    place.run([join(root, 'bin/boh.js'), '--sandbox', 'suppliers', 'create', '--name', 'First']);
    return Object.fromEntries(commands.map((command) => [command, loadsOf(command.split(' '), place)]));
  } finally {
    place.leave();
  }
}

function loadsOf(args: string[], { folder, env }: Place): Loads {
  const answer = join(folder, 'loads.json');
  const preload = join(root, 'scripts/start-up/loads.js');
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', preload, join(root, 'bin/boh.js'), ...args],
    {
      encoding: 'utf8',
      env: { ...env, BOH_LOADS: answer },
    },
  );
  if (status !== 0) throw new Error(`boh ${args.join(' ')} ended with ${status}: ${stderr}`);
  const loads: { files: string[]; bytes: number; builtins: string[] } = JSON.parse(
    readFileSync(answer, 'utf8'),
  );
  if (process.env.BOH_LOADS_SHOWN)
    process.stderr.write(`${args.join(' ')}: ${JSON.stringify(loads, null, 1)}\n`);
  return { files: loads.files.length, bytes: loads.bytes, builtins: loads.builtins.length };
}

if (import.meta.main) {
  const measured = await measuredLoads();
  const limits = Object.entries(measured).map(([command, loads]) => {
    const limit = Object.entries(loads).map(([figure, value]) => [figure, Math.ceil(value * slack)]);
    return [command, Object.fromEntries(limit)];
  });
  writeFileSync(budgetFile, `${JSON.stringify(Object.fromEntries(limits), null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`);
}
