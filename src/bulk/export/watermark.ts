/** Keeps the watermark of an export in a file, so that the next one writes only what has changed since. */

import { readBounded } from '../../base/bounded-read.ts';
import { usage } from '../../base/errors.ts';
import { readErrorText } from '../../base/file-errors.ts';
import { changedAfterFilter } from '../../contract/filter.ts';
import type { Resource } from '../../contract/resource.ts';
import { type FileOwner, type OwnerFields, ownerFields, ownerFrom } from '../../session/file-owner.ts';
import { queriedSince } from '../../session/reading-clock.ts';
import { writeWhole } from '../../tables/whole-file.ts';

/** The watermark of an export, with the account of its records; watermarks of older versions contain less. */
export interface Watermark extends Partial<OwnerFields> {
  /** The resource, by its API name. */
  resource: string;
  /** The address of the service. */
  place: string;
  /** The other filters of the export: nothing is known about records that they exclude. */
  filters: Readonly<Record<string, string>>;
  /** The time of the last change that was seen, by the service's clock, in UTC. */
  until: string;
}

const form = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** Returns the watermark; undefined if there is no file yet. Throws a usage failure if it belongs to another export. */
export async function readWatermark(
  file: string,
  expected: Pick<Watermark, 'resource' | 'filters'>,
): Promise<Watermark | undefined> {
  let text: string;
  try {
    text = (await readBounded(file)).toString();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw usage(`Can't read ${file}: ${readErrorText(cause)}.`, { cause });
  }
  const found = parsed(text);
  if (!found) {
    throw usage(`${file} isn't the watermark of an export.`, {
      hint: 'Use a separate file for each export. A new file exports everything.',
    });
  }
  const isSame = found.resource === expected.resource && asText(found.filters) === asText(expected.filters);
  if (isSame) return found;
  const filters = asText(found.filters) === '[]' ? '' : ` with ${asText(found.filters)}`;
  throw usage(`${file} is the watermark of another export: ${found.resource}${filters}.`, {
    hint: 'Use a separate file for each export.',
  });
}

/** Returns the account of a watermark. */
export function ownerOfWatermark(mark: Watermark): FileOwner {
  return ownerFrom(mark.place, mark);
}

/**
 * Returns the filters for changes since a time; none without a time. Throws a usage failure if the list has no such
 * filter.
 */
export function filtersSince(resource: Resource, until: string | undefined): Record<string, string> {
  const changed = changedAfterFilter(resource.filters);
  if (!changed) {
    throw usage(`${resource.command} can't be exported with --since: they have no filter for changes.`, {
      hint: 'Omit --since to export everything.',
    });
  }
  return until === undefined ? {} : { [changed.name]: queriedSince(until) };
}

/** Writes the new watermark once the file is complete. It never goes back, and stays if no records were seen. */
export async function moveWatermark(
  file: string,
  { account, ...expected }: Pick<Watermark, 'resource' | 'filters'> & { account: FileOwner },
  before: Watermark | undefined,
  seen: string | undefined,
): Promise<void> {
  const until = [before?.until, seen]
    .filter((each) => each !== undefined)
    .sort()
    .at(-1);
  if (until === undefined) return;
  const { resource, filters } = expected;
  const mark: Watermark = { resource, place: account.place, ...ownerFields(account), filters, until };
  const text = asFile(mark);
  if (before && text === asFile(before)) return;
  await writeWhole(file, text);
}

function asFile(mark: Watermark): string {
  return `${JSON.stringify(mark, null, 2)}\n`;
}

function parsed(text: string): Watermark | undefined {
  try {
    const value = JSON.parse(text) as Partial<Watermark> | null;
    const isMark =
      typeof value?.resource === 'string' &&
      typeof value.place === 'string' &&
      (value.business == null || typeof value.business === 'string') &&
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
