/** Stores the watermark of an export in a file, so that the next export writes only the records that changed since. */

import type { AccountIdentity } from '../../../account/session/account.ts';
import { type OwnerFields, ownerFields } from '../../../account/session/file-owner.ts';
import { filterTime } from '../../../account/session/reading-clock.ts';
import { changedAfterFilter } from '../../../api/contract/filter.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { readBoundedFile } from '../../../base/bounded-read.ts';
import { decodeTextFile } from '../../../base/decode-text.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { describeReadError } from '../../../base/file-errors.ts';
import { requireVersion } from '../../../base/format-version.ts';
import { replaceFile } from '../../../base/replace-file.ts';

/** The watermark of an export, with the account of its records. */
export interface Watermark extends OwnerFields {
  version: 1;
  /** The resource, by its API name. */
  resource: string;
  /** The other filters of the export. The watermark doesn't apply to records that they exclude. */
  filters: Readonly<Record<string, string>>;
  /** The export contains all changes until this time, by the service's clock, in UTC. */
  until: string;
}

const timePattern = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** Returns the watermark; undefined if there is no file yet. Throws a usage failure if it belongs to another export. */
export async function readWatermark(
  file: string,
  expected: Pick<Watermark, 'resource' | 'filters'>,
): Promise<Watermark | undefined> {
  let text: string;
  try {
    text = decodeTextFile(await readBoundedFile(file), file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    if (cause instanceof Failure) throw cause;
    throw usage(`Can't read ${file}: ${describeReadError(cause)}.`, { cause });
  }
  const watermark = parseWatermark(text, file);
  if (!watermark) {
    throw usage(`${file} isn't the watermark of an export.`, {
      hint: 'Use a separate file for each export. A new file exports everything.',
    });
  }
  const isSameExport =
    watermark.resource === expected.resource &&
    formatFilters(watermark.filters) === formatFilters(expected.filters);
  if (isSameExport) return watermark;
  const filters =
    formatFilters(watermark.filters) === '[]' ? '' : ` with ${formatFilters(watermark.filters)}`;
  throw usage(`${file} is the watermark of another export: ${watermark.resource}${filters}.`, {
    hint: 'Use a separate file for each export.',
  });
}

/**
 * Returns the filters for changes since a time; empty without a time. Throws a usage failure if the list has no such
 * filter.
 */
export function filtersSince(resource: Resource, until: string | undefined): Record<string, string> {
  const changedFilter = changedAfterFilter(resource.filters);
  if (!changedFilter) {
    throw usage(`${resource.command} can't be exported with --since: they have no filter for changes.`, {
      hint: 'Omit --since to export everything.',
    });
  }
  return until === undefined ? {} : { [changedFilter.name]: filterTime(until) };
}

/** Writes the new watermark after the file is complete. It never decreases, and is unchanged if no records were read. */
export async function advanceWatermark(
  file: string,
  { account, ...expected }: Pick<Watermark, 'resource' | 'filters'> & { account: AccountIdentity },
  previous: Watermark | undefined,
  completeUntil: string | undefined,
): Promise<void> {
  const until = [previous?.until, completeUntil]
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
  if (until === undefined) return;
  const { resource, filters } = expected;
  const watermark: Watermark = { version: 1, resource, ...ownerFields(account), filters, until };
  const text = formatWatermark(watermark);
  if (previous && text === formatWatermark(previous)) return;
  await replaceFile(file, text);
}

function formatWatermark(watermark: Watermark): string {
  return `${JSON.stringify(watermark, null, 2)}\n`;
}

function parseWatermark(text: string, file: string): Watermark | undefined {
  try {
    const value = JSON.parse(text) as Partial<Watermark> | null;
    if (value?.version !== undefined)
      requireVersion(value.version, 'usage', file, 'A new file exports everything.');
    const isWatermark =
      value?.version === 1 &&
      typeof value.resource === 'string' &&
      typeof value.service === 'string' &&
      (value.business == null || typeof value.business === 'string') &&
      typeof value.filters === 'object' &&
      typeof value.until === 'string' &&
      timePattern.test(value.until);
    return isWatermark ? (value as Watermark) : undefined;
  } catch (error) {
    if (error instanceof Failure) throw error;
    return undefined;
  }
}

function formatFilters(filters: Readonly<Record<string, string>> | null): string {
  return JSON.stringify(Object.entries(filters ?? {}).sort());
}
