/** Checks the flags of a bulk run, and opens a session with their rate and concurrency. */
import { type FieldMessages, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { parseLimit } from '../../pace/limit.ts';
import { limitFlagProblems } from '../../runs/limits.ts';
import { parseTimeWindow } from '../../runs/time-window.ts';
import type { Session } from '../../session/session.ts';
import type { Settings } from '../../settings/settings.ts';
import { refuseFlags } from '../flags/flag-table.ts';
import { maxDefaultConcurrency, type RunFlags } from './run-flags.ts';

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

/** Returns the problems of the flags of a run, by flag. */
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
