/** The flags of commands that send many requests: their problems, and the session that they open. It is loaded with the verbs. */

import { parseLimit } from '../../../account/pace/limit.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Settings } from '../../../account/settings/settings.ts';
import { type FieldMessages, usage } from '../../../base/errors.ts';
import { defaultConcurrency, maxDefaultConcurrency } from '../../../engine/runs/concurrency.ts';
import { limitFlagProblems, protectedLimits } from '../../../engine/runs/limits.ts';
import { parseTimeWindow } from '../../../engine/runs/time-window.ts';
import type { Context } from '../../context/context.ts';
import { type FlagsOf, refuseFlags, repeatedList, under } from '../flags/flag-table.ts';
import { noWaitFlag } from '../flags/shared-flags.ts';

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

/** The time in milliseconds that an interrupted run waits for requests in progress, to learn their outcome. */
const graceMs = 250;

/** Opens a session for the account in use, or for the account of `otherSettings`: a copy has two sessions. */
export async function openRunSession(
  context: Context,
  { rate, concurrency }: RunFlags,
  otherSettings?: Settings,
): Promise<Session> {
  const settings = otherSettings ?? (await context.settings());
  const traffic = {
    concurrency: Number(concurrency ?? maxDefaultConcurrency),
    isRateSet: rate !== undefined,
  };
  return context.sessionFor(
    { ...settings, rate: rate ?? settings.rate },
    delayedSignal(context.signal),
    traffic,
  );
}

/** Returns a signal that aborts `graceMs` after `signal`. */
function delayedSignal(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abortLater = () => setTimeout(() => controller.abort(signal.reason), graceMs).unref();
  if (signal.aborted) abortLater();
  else signal.addEventListener('abort', abortLater, { once: true });
  return controller.signal;
}

/** The maximum value of `--concurrency`. */
const maxConcurrency = 32;

/** Throws one `usage` failure with all problems of the flags. */
export function checkRunFlags(flags: RunFlags): void {
  refuseFlags(runFlagProblems(flags));
}

export function runFlagProblems(flags: RunFlags): FieldMessages {
  const { maxErrors, concurrency, rate, between, out, ledger } = flags;
  const messages: FieldMessages = limitFlagProblems(flags);
  if (!/^\d{1,9}$/.test(maxErrors ?? '0'))
    messages['max-errors'] = ['--max-errors must be 0 or a positive whole number'];
  const count = Number(concurrency ?? 1);
  if (!Number.isInteger(count) || count < 1 || count > maxConcurrency) {
    messages.concurrency = [`--concurrency must be a whole number from 1 to ${maxConcurrency}`];
  }
  if (rate !== undefined && !parseLimit(rate))
    messages.rate = ['--rate must be a number of requests, such as 60/min, 2/s or 500/h'];
  if (out !== undefined && ledger !== undefined)
    messages.out = ["--out can't be combined with --ledger or --no-ledger: the saved plan is the ledger"];
  try {
    if (between !== undefined) parseTimeWindow(between);
  } catch (error) {
    messages.between = [(error as Error).message];
  }
  return messages;
}

/** Returns the flags of a resumed run: the flags of the command line, and the stored ones for missing flags. */
export function withStoredFlags<Flags extends RunFlags>(flags: Flags, storedFlags: unknown): Flags {
  if (flags.ledger === false)
    throw usage("--no-ledger can't be used to resume a run: it continues in its ledger.");
  return typeof storedFlags === 'object' && storedFlags !== null ? { ...storedFlags, ...flags } : flags;
}
