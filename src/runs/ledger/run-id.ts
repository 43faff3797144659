/** Makes and reads the ids of runs. */

/**
 * Returns a new id. Ids sort by time, to the millisecond. Runs that begin in the same millisecond, as scripts and cron
 * jobs start them, have different random endings out of two billion.
 */
export function newRunId(now: Date): string {
  // The parts of a date aren't used: for them the engine looks up the time zone first, even for UTC.
  const [day = '', time = '', milliseconds = ''] = now.toISOString().replaceAll(/[-:Z]/g, '').split(/[T.]/);
  const ending = Math.floor(Math.random() * endings)
    .toString(36)
    .padStart(6, '0');
  return `${day}-${time}-${milliseconds}${ending}`;
}

const endings = 36 ** 6;

/** Up to 0.1.0 the ending had two digits. */
const idForm = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(\d{3})(?:[0-9a-f]{2}|[0-9a-z]{6})$/;

/** Returns whether a text has the form of a run id. */
export function isRunId(text: string): boolean {
  return idForm.test(text);
}

/** Returns when a run was begun, in ms since 1970, according to its id. */
export function begunAt(id: string): number {
  const [, year, month, day, hour, minute, second, milliseconds] = (idForm.exec(id) ?? []).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, milliseconds);
}
