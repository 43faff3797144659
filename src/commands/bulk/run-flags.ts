/** The flags of every run that sends many requests, and what they say. */
import { type Command, Option } from 'commander';
import { readHours } from '../../bulk/run/hours.ts';
import { type FieldMessages, usage, violations } from '../../errors.ts';
import { readLimit } from '../../pace/limit.ts';

/** As typed. */
export interface RunFlags {
  maxErrors?: string;
  concurrency?: string;
  rate?: string;
  between?: string;
  ledger?: string | false;
  failed?: string;
}

export const usualConcurrency = 4;
const mostConcurrent = 32;

export function addRunFlags(command: Command, heading = 'The run:'): void {
  const options = [
    new Option('--max-errors <number>', 'stop when more rows than this have failed'),
    new Option(
      '--rate <number>',
      'requests at most: 60/min, 2/s, 500/h; the service’s own limit counts in any case',
    ),
    new Option('--concurrency <number>', `requests in flight (default: ${usualConcurrency})`),
    new Option('--between <hours>', 'send only at these hours of this machine: 23:00-06:00'),
    new Option('--ledger <file>', 'keep what was done in this file, to resume from'),
    new Option('--no-ledger', 'keep nothing: the run can’t be resumed'),
  ];
  for (const option of options) command.addOption(option.helpGroup(heading));
}

/** Throws one failure for all that is wrong. */
export function checkRunFlags({ maxErrors, concurrency, rate, between }: RunFlags): void {
  const messages: FieldMessages = {};
  if (!/^\d{1,9}$/.test(maxErrors ?? '0'))
    messages['max-errors'] = ['--max-errors must be a whole number from 0 on'];
  const count = Number(concurrency ?? 1);
  if (!Number.isInteger(count) || count < 1 || count > mostConcurrent) {
    messages.concurrency = [`--concurrency must be a whole number from 1 to ${mostConcurrent}`];
  }
  if (rate !== undefined && !readLimit(rate))
    messages.rate = ['--rate must be a number of requests, such as 60/min, 2/s or 500/h'];
  try {
    if (between !== undefined) readHours(between);
  } catch (error) {
    messages.between = [(error as Error).message];
  }
  if (Object.keys(messages).length > 0) throw violations('The command line', messages);
}

/** A run that is gone on with keeps to what it was begun with, unless the line says otherwise. */
export function withKept(flags: RunFlags, kept: unknown): RunFlags {
  if (flags.ledger === false) throw usage('A run that is resumed keeps its ledger.');
  return typeof kept === 'object' && kept !== null ? { ...kept, ...flags } : flags;
}
