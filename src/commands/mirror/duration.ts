/** A time as people write it: seconds, or a number with `s`, `m`, `h` or `d` behind it. */
import { usage } from '../../errors.ts';

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** In seconds. `flag` is where it stands. */
export function readDuration(text: string, flag: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text.trim()) ?? [];
  const time = Number(count) * seconds[unit as keyof typeof seconds];
  if (time > 0) return time;
  throw usage(`${flag} takes a time, such as 900, 15m or 1h: “${text}” is none.`);
}
