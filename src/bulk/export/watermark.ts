/** How far an export has come: kept in a file, so that the next one writes only what has changed since. */

import { readFile } from 'node:fs/promises';
import { changedAfter, deletedToo } from '../../contract/filter.ts';
import { formatTimestamp, readMoment } from '../../contract/moment.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import { whyNotRead } from '../../unreadable.ts';
import { writeWhole } from './whole-file.ts';

export interface Watermark {
  /** By the API’s own name. */
  resource: string;
  /** The address of the service. */
  place: string;
  /** Several may share an address; absent where the service doesn’t tell, and in marks of older versions. */
  business?: string | undefined;
  /** What else was asked for: of other records, nothing is known. */
  filters: Readonly<Record<string, string>>;
  /** The last change that was seen, as the service dated it; UTC. */
  until: string;
}

/**
 * Changes of the last seconds are asked for again: the filter leaves its own second out, and what was written at the
 * same time may have been shown later. In milliseconds.
 */
const overlap = 60_000;

const form = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** Undefined where there is no such file yet. Throws a usage failure where it belongs to another export. */
export async function readWatermark(
  file: string,
  expected: Omit<Watermark, 'until'>,
): Promise<Watermark | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw usage(`${file} can’t be read: ${whyNotRead(cause)}.`, { cause });
  }
  const found = parsed(text);
  if (!found) {
    throw usage(`${file} is no watermark of an export.`, {
      hint: 'Name a file of its own for each export. Without one, everything is written.',
    });
  }
  const same =
    found.resource === expected.resource &&
    found.place === expected.place &&
    !isOtherBusiness(found, expected) &&
    asText(found.filters) === asText(expected.filters);
  if (same) return found;
  const filters = asText(found.filters) === '[]' ? '' : ` with ${asText(found.filters)}`;
  const whose = found.business === undefined ? found.place : `business ${found.business} at ${found.place}`;
  throw usage(`${file} is the watermark of another export: ${found.resource} of ${whose}${filters}.`, {
    hint: 'Name a file of its own for each export.',
  });
}

function isOtherBusiness(
  { business: one }: Watermark,
  { business: other }: Omit<Watermark, 'until'>,
): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** Filters for what has changed since, deletions among it where the list can show them. */
export function filtersSince(resource: Resource, mark: Watermark | undefined): Record<string, string> {
  const changed = changedAfter(resource.filters);
  if (!changed) {
    throw usage(`${resource.command} can’t be asked for what has changed: they have no filter for it.`, {
      hint: 'Leave --since out: then everything is written.',
    });
  }
  const moment = mark && readMoment(mark.until, new Date());
  if (!moment) return {};
  const after = formatTimestamp(new Date(moment.getTime() - overlap));
  const deleted = deletedToo(resource.filters);
  return { [changed.name]: after, ...(deleted && { [deleted.name]: 'true' }) };
}

/**
 * Up to when changes are known to have been seen, in the API’s form; undefined where nothing tells. What changes while a
 * list is read may be on a page that was read already, and dated before the last change that is seen: so the time that
 * the reading took, in milliseconds, doesn’t count. No clock but the service’s is asked.
 */
export function seenUntil(lastChange: string | undefined, took: number): string | undefined {
  const moment = lastChange === undefined ? undefined : readMoment(lastChange, new Date());
  return moment && formatTimestamp(new Date(moment.getTime() - Math.ceil(took)));
}

/** Milliseconds since it was made, those for which the machine slept among them: not every clock counts these. */
export function stopwatch(): () => number {
  const [steady, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - steady, Date.now() - wall);
}

/** Only once the rows are in their place. Never goes back; stays where nothing was seen. */
export async function moveWatermark(
  file: string,
  expected: Omit<Watermark, 'until'>,
  before: Watermark | undefined,
  seen: string | undefined,
): Promise<void> {
  const until = [before?.until, seen]
    .filter((each) => each !== undefined)
    .sort()
    .at(-1);
  if (until === undefined || until === before?.until) return;
  const text = `${JSON.stringify({ ...expected, until }, null, 2)}\n`;
  async function* texts() {
    yield text;
  }
  await writeWhole(file, texts());
}

function parsed(text: string): Watermark | undefined {
  try {
    const value = JSON.parse(text) as Partial<Watermark> | null;
    const isMark =
      typeof value?.resource === 'string' &&
      typeof value.place === 'string' &&
      ['string', 'undefined'].includes(typeof value.business) &&
      typeof value.filters === 'object' &&
      typeof value.until === 'string' &&
      form.test(value.until);
    return isMark ? (value as Watermark) : undefined;
  } catch {
    return undefined;
  }
}

function asText(filters: Readonly<Record<string, string>> | null): string {
  return JSON.stringify(Object.entries(filters ?? {}).sort());
}
