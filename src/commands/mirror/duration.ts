/** A time as people write it, seconds, or a number with `s`, `m`, `h` or `d` behind it; and as they read it. */
import { usage } from '../../errors.ts';

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Timers of Node’s take no longer one, and go off at once instead. */
const longest = 24 * 86_400;

/** In seconds. `flag` is where it stands. */
export function readDuration(text: string, flag: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text.trim()) ?? [];
  const time = Number(count) * seconds[unit as keyof typeof seconds];
  if (time > longest) throw usage(`${flag} takes 24d at most.`);
  if (time > 0) return time;
  throw usage(`${flag} takes a time, such as 900, 15m or 1h: “${text}” is none.`);
}

/** Of seconds: `45 s`, `20 min`, `3 h`, `2 days`. */
export function timeInWords(time: number): string {
  if (time < 120) return `${time} s`;
  if (time < 7200) return `${Math.round(time / 60)} min`;
  return time < 172_800 ? `${Math.round(time / 3600)} h` : `${Math.round(time / 86_400)} days`;
}
