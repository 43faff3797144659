/** The flags of commands that send many requests. The file is loaded with the verbs; `run-session.ts` reads the flags. */
import { protectedLimits } from '../../runs/limits.ts';
import { type FlagsOf, repeatedList, under } from '../flags/flag-table.ts';
import { noWaitFlag } from '../flags/shared-flags.ts';

/** The number of parallel requests at the start of a run without `--concurrency`. */
export const defaultConcurrency = 4;
/** The maximum number of parallel requests without `--concurrency`, if the service doesn't become slower. */
export const maxDefaultConcurrency = 16;

export const exitCodeFlag = ['--exit-code', 'with --dry-run: exit with 10 if there are changes'] as const;

export const failedFlag = [
  '--failed <file>',
  'write the failed rows to this file, with the reasons',
] as const;

/** Returns `--max-changes`. `ifExceeded` describes what the command does then. */
export const maxChangesFlag = (ifExceeded = 'send nothing') =>
  [
    '--max-changes <number>',
    `${ifExceeded} if more records would change: N or N% (on protected profiles: ${protectedLimits.maxChanges})`,
  ] as const;

/** Returns `--max-price-change`. */
export const maxPriceChangeFlag = (ifExceeded = 'send nothing') =>
  [
    '--max-price-change <percent>',
    `${ifExceeded} if a price or cost would change by more (on protected profiles: ${protectedLimits.maxPriceChange})`,
  ] as const;

/** Returns `--max-deletes`. */
export const maxDeletesFlag = (ifExceeded = 'send nothing') =>
  [
    '--max-deletes <number>',
    `${ifExceeded} if more records would be deleted: N or N% (default: 10, and at most 10%)`,
  ] as const;

const severities = ['error', 'warning', 'never'] as const;

export const guardFlags = [
  [
    '--fail-on <severity>',
    'stop before sending if the changes add boh lint findings of this severity or higher; reads the lists that the rules need (default: error on protected profiles)',
    { choices: severities },
  ],
  ['--allow <rules>', 'ignore these boh lint rules (repeatable)', repeatedList],
] as const;

export type GuardFlags = FlagsOf<typeof guardFlags>;

export const runFlags = under('Bulk run:', [
  ['--max-errors <number>', 'stop after more than this many failures'],
  ['--rate <number>', 'maximum request rate: 60/min, 2/s, 500/h'],
  [
    '--concurrency <number>',
    `parallel requests (default: ${defaultConcurrency} to ${maxDefaultConcurrency}, as the service allows)`,
  ],
  ['--between <hours>', 'send only at these hours, local time: 23:00-06:00'],
  noWaitFlag,
  ...guardFlags,
  ['--ledger <file>', 'write the ledger of the run to this file'],
  ['--no-ledger', "don't write a ledger; the run can't be resumed"],
]);

/** The flags of commands that plan a run: its limits, its flags, and `--out`, which saves the plan instead of sending it. */
export const planningFlags = [
  ...under('Safety:', [maxChangesFlag(), maxDeletesFlag(), maxPriceChangeFlag()]),
  ...runFlags,
  ...under('Bulk run:', [['--out <file>', 'save the plan to this file for boh apply --plan; send nothing']]),
] as const;

/** The flags of a bulk run, not yet validated. */
export interface RunFlags extends FlagsOf<readonly [...typeof planningFlags, typeof failedFlag]> {
  /** A flag of commands that check relations. */
  allowLoss?: boolean;
}
