/** Creates and parses the IDs of runs. */

/**
 * Returns a new ID. IDs sort by time, to the millisecond. Runs of scripts and cron jobs may begin in the same
 * millisecond, so each ID ends with one of two billion random suffixes.
 */
export function newRunId(now: Date): string {
  // The getters of Date aren't used, because the engine looks up the time zone for them, even for UTC.
  const [day = '', time = '', milliseconds = ''] = now.toISOString().replaceAll(/[-:Z]/g, '').split(/[T.]/);
  const suffix = Math.floor(Math.random() * suffixCount)
    .toString(36)
    .padStart(6, '0');
  return `${day}-${time}-${milliseconds}${suffix}`;
}

const suffixCount = 36 ** 6;

const idPattern = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(\d{3})[0-9a-z]{6}$/;

export function isRunId(text: string): boolean {
  return idPattern.test(text);
}

/** Returns when a run was begun, in ms since 1970, according to its ID. */
export function startTimeOf(id: string): number {
  const [, year, month, day, hour, minute, second, milliseconds] = (idPattern.exec(id) ?? []).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, milliseconds);
}
