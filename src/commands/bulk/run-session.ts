/** What the flags of a run come to: checked, and the account opened with the pace and the requests in flight that they ask for. */
import { type FieldMessages, usage, violations } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { readLimit } from '../../pace/limit.ts';
import { readHours } from '../../runs/hours.ts';
import { type LimitFlags, limitProblems } from '../../runs/limits.ts';
import type { Session } from '../../session/session.ts';
import type { Settings } from '../../settings/settings.ts';
import { mostUsual, type RunFlags } from './run-flags.ts';

/** What is in flight when a run is interrupted may still be answered: its outcome is known then. In milliseconds. */
const grace = 250;

/** Of the settings in effect, unless others are given: a copy is from one account to another. */
export async function runSession(
  context: Context,
  { rate, concurrency }: RunFlags,
  others?: Settings,
): Promise<Session> {
  const settings = others ?? (await context.settings());
  const traffic = { concurrency: Number(concurrency ?? mostUsual), isRateSaid: rate !== undefined };
  return context.sessionFor(
    { ...settings, rate: rate ?? settings.rate },
    aMomentAfter(context.signal),
    traffic,
  );
}

function aMomentAfter(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const end = () => setTimeout(() => controller.abort(signal.reason), grace).unref();
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return controller.signal;
}

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
