/** The flags of commands that send many requests. The file is loaded with the verbs; `run-session.ts` reads the flags. */
import { Option } from 'commander';
import type { Severity } from '../../lint/rule.ts';
import { type LimitFlags, protectedLimits } from '../../runs/limits.ts';
import type { Command } from '../command.ts';
import { noWaitOption, repeatableList, type WaitFlags } from '../flags/shared-flags.ts';

/** The flags of the lint guard, not yet validated. */
export interface GuardFlags {
  failOn?: Severity | 'never';
  allow?: readonly string[];
}

/** The flags of a bulk run, not yet validated. */
export interface RunFlags extends WaitFlags, GuardFlags, LimitFlags {
  maxErrors?: string;
  concurrency?: string;
  rate?: string;
  between?: string;
  ledger?: string | false;
  failed?: string;
  out?: string;
}

/** The number of parallel requests at the start of a run without `--concurrency`. */
export const defaultConcurrency = 4;
/** The maximum number of parallel requests without `--concurrency`, if the service doesn't become slower. */
export const maxDefaultConcurrency = 16;

/** Returns `--exit-code`, for commands with a dry run. */
export function exitCodeOption(): Option {
  return new Option('--exit-code', 'with --dry-run: exit with 10 if there are changes');
}

/** Returns `--failed`, the file of rows that failed. */
export function failedOption(): Option {
  return new Option('--failed <file>', 'write the failed rows to this file, with the reasons');
}

/** Returns `--max-changes`. `ifExceeded` describes what the command does then. */
export function maxChangesOption(ifExceeded = 'send nothing'): Option {
  return new Option(
    '--max-changes <number>',
    `${ifExceeded} if more records would change: N or N% (on protected profiles: ${protectedLimits.maxChanges})`,
  );
}

/** Returns `--max-price-change`. `ifExceeded` describes what the command does then. */
export function maxPriceChangeOption(ifExceeded = 'send nothing'): Option {
  return new Option(
    '--max-price-change <percent>',
    `${ifExceeded} if a price or cost would change by more (on protected profiles: ${protectedLimits.maxPriceChange})`,
  );
}

/** Returns `--max-deletes`. `ifExceeded` describes what the command does then. */
export function maxDeletesOption(ifExceeded = 'send nothing'): Option {
  return new Option(
    '--max-deletes <number>',
    `${ifExceeded} if more records would be deleted: N or N% (default: 10, and at most 10%)`,
  );
}

/**
 * Adds the flags of commands that plan a run: limits of the plan, the flags of the run, and `--out`, which saves the plan
 * instead of sending it.
 */
export function addPlanningFlags(command: Command, heading?: string): void {
  command.group(heading ?? 'Safety:', maxChangesOption(), maxDeletesOption(), maxPriceChangeOption());
  addRunFlags(command, heading);
  const out = new Option('--out <file>', 'save the plan to this file for boh apply --plan; send nothing');
  command.addOption(out.helpGroup(heading ?? runHeading));
}

const runHeading = 'Bulk run:';

/** Adds the flags of all bulk runs. */
export function addRunFlags(command: Command, heading = runHeading): void {
  const options = [
    new Option('--max-errors <number>', 'stop after more than this many failures'),
    new Option('--rate <number>', 'maximum request rate: 60/min, 2/s, 500/h'),
    new Option(
      '--concurrency <number>',
      `parallel requests (default: ${defaultConcurrency} to ${maxDefaultConcurrency}, as the service allows)`,
    ),
    new Option('--between <hours>', 'send only at these hours, local time: 23:00-06:00'),
    noWaitOption(),
    ...guardOptions(),
    new Option('--ledger <file>', 'write the ledger of the run to this file'),
    new Option('--no-ledger', "don't write a ledger; the run can't be resumed"),
  ];
  // Flags of fields take precedence: for a tax, --rate is its rate.
  const existingFlags = new Set(command.options.map(({ long }) => long));
  for (const option of options) {
    if (!existingFlags.has(option.long)) command.addOption(option.helpGroup(heading));
  }
}

/** Returns the flags of the lint guard. */
export function guardOptions(): Option[] {
  return [
    new Option(
      '--fail-on <severity>',
      'stop before sending if the changes add boh lint findings of this severity or higher; reads the lists that the rules need (default: error on protected profiles)',
    ).choices(['error', 'warning', 'never']),
    repeatableList('--allow <rules>', 'ignore these boh lint rules (repeatable)'),
  ];
}
