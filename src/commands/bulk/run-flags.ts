/** The flags of every run that sends many requests. Loaded with the verbs: what they say is read elsewhere. */
import { Option } from 'commander';
import type { Command } from '../command.ts';
import { noWaitOption, type WaitFlags } from '../flags/wait-option.ts';

/** As typed. */
export interface RunFlags extends WaitFlags {
  maxErrors?: string;
  concurrency?: string;
  rate?: string;
  between?: string;
  ledger?: string | false;
  failed?: string;
  out?: string;
}

/** Requests in flight where nobody has said how many: at first, and at most where the service is no slower for it. */
export const usualConcurrency = 4;
export const mostUsual = 16;

/** Adds the flags of commands that plan a run: those of the run, and `--out`, which saves the plan in place of carrying it out. */
export function addPlanningFlags(command: Command, heading?: string): void {
  addRunFlags(command, heading);
  const out = new Option('--out <file>', 'save the plan in this file for boh apply --plan; send nothing');
  command.addOption(out.helpGroup(heading ?? runHeading));
}

const runHeading = 'Bulk run:';

/** Adds the flags of every run. */
export function addRunFlags(command: Command, heading = runHeading): void {
  const options = [
    new Option('--max-errors <number>', 'stop after more than this many failures'),
    new Option('--rate <number>', 'at most this many requests: 60/min, 2/s, 500/h'),
    new Option(
      '--concurrency <number>',
      `parallel requests (default: ${usualConcurrency} to ${mostUsual}, as the service allows)`,
    ),
    new Option('--between <hours>', 'send only at these hours, local time: 23:00-06:00'),
    noWaitOption(),
    new Option('--ledger <file>', 'keep the run’s ledger in this file'),
    new Option('--no-ledger', 'keep no ledger: the run can’t be resumed'),
  ];
  // A field goes before: the rate of a tax is what its --rate says.
  const taken = new Set(command.options.map(({ long }) => long));
  for (const option of options) {
    if (!taken.has(option.long)) command.addOption(option.helpGroup(heading));
  }
}
