/** Checks the flags of a run. */
import { type FieldMessages, usage, violations } from '../../base/errors.ts';
import { readLimit } from '../../pace/limit.ts';
import { readHours } from '../../runs/hours.ts';
import { type LimitFlags, limitProblems } from '../../runs/limits.ts';
import type { RunFlags } from './run-flags.ts';

const mostConcurrent = 32;

/** Throws one failure for all that is wrong. */
export function checkRunFlags(flags: RunFlags & LimitFlags): void {
  const { maxErrors, concurrency, rate, between, out, ledger } = flags;
  const messages: FieldMessages = limitProblems(flags);
  if (!/^\d{1,9}$/.test(maxErrors ?? '0'))
    messages['max-errors'] = ['--max-errors must be a whole number from 0 on'];
  const count = Number(concurrency ?? 1);
  if (!Number.isInteger(count) || count < 1 || count > mostConcurrent) {
    messages.concurrency = [`--concurrency must be a whole number from 1 to ${mostConcurrent}`];
  }
  if (rate !== undefined && !readLimit(rate))
    messages.rate = ['--rate must be a number of requests, such as 60/min, 2/s or 500/h'];
  if (out !== undefined && ledger !== undefined)
    messages.out = ['--out FILE is where the ledger of the run is then: leave out --ledger and --no-ledger'];
  try {
    if (between !== undefined) readHours(between);
  } catch (error) {
    messages.between = [(error as Error).message];
  }
  if (Object.keys(messages).length > 0) throw violations('The command line', messages);
}

/** A run that is gone on with keeps to what it was begun with, unless the line says otherwise. */
export function withKept<Flags extends RunFlags>(flags: Flags, kept: unknown): Flags {
  if (flags.ledger === false) throw usage('A run that is resumed keeps its ledger.');
  return typeof kept === 'object' && kept !== null ? { ...kept, ...flags } : flags;
}
