/** What runs are called. */

/**
 * Sorts by time, to the millisecond. Runs that begin in one millisecond, as scripts and cron jobs start them, differ by
 * one of two thousand million endings.
 */
export function newRunId(now: Date): string {
  // Not from its parts: for those the engine looks up the time zone first, even where it doesn’t count.
  const [day = '', time = '', milliseconds = ''] = now.toISOString().replaceAll(/[-:Z]/g, '').split(/[T.]/);
  const ending = Math.floor(Math.random() * endings)
    .toString(36)
    .padStart(6, '0');
  return `${day}-${time}-${milliseconds}${ending}`;
}

const endings = 36 ** 6;

/** Up to 0.1.0 the ending had two digits. */
const idForm = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(\d{3})(?:[0-9a-f]{2}|[0-9a-z]{6})$/;

export function isRunId(text: string): boolean {
  return idForm.test(text);
}

/** When a run was begun, in milliseconds since 1970, as its id says. */
export function begunAt(id: string): number {
  const [, year, month, day, hour, minute, second, milliseconds] = (idForm.exec(id) ?? []).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, milliseconds);
}
