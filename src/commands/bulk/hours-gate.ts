/** The hours that `--between` names, kept by a run: it says until when it waits. */
import type { Context } from '../../context/context.ts';
import { readHours, untilOpen } from '../../runs/hours.ts';
import type { CarryOut } from '../../runs/run-state.ts';
import { sleep } from '../../runs/sleep.ts';
import { note } from '../../terminal/messages.ts';

/** In milliseconds: a timer stands still while the machine sleeps, and would let the hours go by. */
const longestNap = 60_000;

/** Meanwhile other runs may write the same records: for a whole day they would wait. */
export interface Relock {
  unlock(): void;
  lock(): Promise<void>;
}

/** `between` as typed; throws a usage failure where that isn’t two times of the day. */
export function hoursGate(
  between: string,
  { streams, now }: Context,
  { unlock, lock }: Relock,
): NonNullable<CarryOut['gate']> {
  const hours = readHours(between);
  return async (signal, idle) => {
    const first = untilOpen(hours, now());
    if (first === 0) return false;
    const begin = new Date(now().getTime() + first).toLocaleString('sv-SE').slice(0, 16);
    note(
      streams,
      `Waiting until ${begin}: --between ${between}. What somebody changes meanwhile is left as it is.`,
    );
    await idle();
    unlock();
    for (let ms = first; ms > 0 && !signal.aborted; ms = untilOpen(hours, now()))
      await sleep(Math.min(ms, longestNap), signal);
    try {
      await lock();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return true;
  };
}
