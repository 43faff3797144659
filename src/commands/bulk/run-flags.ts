/** The flags of every run that sends many requests. Loaded with the verbs: what they say is read elsewhere. */
import { type Command, Option } from 'commander';
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
  const out = new Option('--out <file>', 'save the plan there, for boh apply --plan, and send nothing');
  command.addOption(out.helpGroup(heading ?? runHeading));
}

const runHeading = 'The run:';

/** Adds the flags of every run. */
export function addRunFlags(command: Command, heading = runHeading): void {
  const options = [
    new Option('--max-errors <number>', 'stop when more rows than this have failed'),
    new Option(
      '--rate <number>',
      'requests at most: 60/min, 2/s, 500/h; the service’s own limit counts in any case',
    ),
    new Option(
      '--concurrency <number>',
      `requests in flight (default: ${usualConcurrency}, and up to ${mostUsual} while the service is no slower for it)`,
    ),
    new Option('--between <hours>', 'send only at these hours of this machine: 23:00-06:00'),
    noWaitOption(),
    new Option('--ledger <file>', 'keep what was done in this file, to resume from'),
    new Option('--no-ledger', 'keep nothing: the run can’t be resumed'),
  ];
  // A field goes before: the rate of a tax is what its --rate says.
  const taken = new Set(command.options.map(({ long }) => long));
  for (const option of options) {
    if (!taken.has(option.long)) command.addOption(option.helpGroup(heading));
  }
}
