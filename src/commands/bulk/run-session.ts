/** The account of a run: several requests in flight, at the pace that the line asks for, ended a moment after the run. */
import type { Context } from '../../context/context.ts';
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
