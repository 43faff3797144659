/**
 * Measures the code that common commands load, which doesn't depend on other load on the machine.
 * `npm run budget` writes the figures as new limits, which test/package/start-up.test.ts checks.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { type MeasureEnvironment, startEnvironment } from './environment.ts';

/** The code that a command loads. */
export interface LoadedCode {
  /** The number of boh's files. */
  files: number;
  /** The size of these files in bytes. */
  bytes: number;
  /** The number of Node's modules that an empty script doesn't load. */
  builtins: number;
}

/** The loaded code by command. */
export type Budget = Record<string, LoadedCode>;

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
/** The limits are the measured figures multiplied by this factor. */
const tolerance = 1.05;

/** Reads the limits. */
export function readBudget(): Budget {
  return JSON.parse(readFileSync(budgetFile, 'utf8'));
}

/** Runs the commands and returns the code that each loads. */
export async function measureLoadedCode(): Promise<Budget> {
  const environment = await startEnvironment();
  try {
    // Creates the sandbox and the history first, because the measured commands use existing files.
    environment.run([join(root, 'bin/boh.js'), '--sandbox', 'suppliers', 'create', '--name', 'First']);
    return Object.fromEntries(
      commands.map((command) => [command, loadedCodeOf(command.split(' '), environment)]),
    );
  } finally {
    environment.stop();
  }
}

function loadedCodeOf(args: string[], { folder, env }: MeasureEnvironment): LoadedCode {
  const report = join(folder, 'loads.json');
  const preload = join(root, 'scripts/start-up/report-loads.js');
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', preload, join(root, 'bin/boh.js'), ...args],
    {
      encoding: 'utf8',
      env: { ...env, LOADS_REPORT: report },
    },
  );
  if (status !== 0) throw new Error(`boh ${args.join(' ')} exited with ${status}: ${stderr}`);
  const loads: { files: string[]; bytes: number; builtins: string[] } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  if (process.env.BOH_PRINT_LOADS)
    process.stderr.write(`${args.join(' ')}: ${JSON.stringify(loads, null, 1)}\n`);
  return { files: loads.files.length, bytes: loads.bytes, builtins: loads.builtins.length };
}

if (import.meta.main) {
  const loadedCode = await measureLoadedCode();
  const limits = Object.entries(loadedCode).map(([command, loads]) => {
    const limit = Object.entries(loads).map(([figure, value]) => [figure, Math.ceil(value * tolerance)]);
    return [command, Object.fromEntries(limit)];
  });
  writeFileSync(budgetFile, `${JSON.stringify(Object.fromEntries(limits), null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(loadedCode, null, 2)}\n`);
}
