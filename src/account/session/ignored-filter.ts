/** Finds out whether a service ignored a filter, which records that don't match show. */

import { isDate, parseFilterTime } from '../../api/contract/date-time.ts';
import type { Row } from '../client/shape.ts';
import { isEmptyValue } from './diff/values.ts';
import { type Attempt, filteredValue, isMatch } from './lookup.ts';

/** Time zones are at most this far from UTC, and a service may count days in its own. */
const maxZoneOffsetMs = 14 * 3_600_000;
const dayMs = 86_400_000;

/**
 * Returns whether the record may match the filter, however the service interprets it: case and accents are ignored, bounds
 * may belong to the range, and days may be those of any time zone. A record without the field may match.
 */
export function mayMatch({ filter, value }: Attempt, record: Row): boolean {
  const recordValue = filteredValue(filter, record);
  if (recordValue === undefined) return true;
  switch (filter.match) {
    case 'deleted':
    case 'unknown':
      return true;
    case 'any':
      return isEmptyValue(recordValue) || recordValue === 0 ? !isTrue(value) : isTrue(value);
    case 'contains':
      return valuesIn(value).some((part) => fold(String(recordValue ?? '')).includes(fold(part)));
    case 'after':
    case 'before':
    case 'on_day':
      return isInRange(filter.match, recordValue, value);
    case 'equals': {
      const isText = typeof recordValue === 'string';
      const foldedRecord = isText ? { [filter.on ?? '']: fold(recordValue) } : record;
      return valuesIn(value).some((part) =>
        isMatch({ filter, value: isText ? fold(part) : part }, foldedRecord),
      );
    }
  }
}

/** Returns the values of a filter. A comma may separate two or be part of one. */
function valuesIn(value: string): string[] {
  return [value, ...value.split(',').filter((part) => part.trim() !== '')];
}

function isTrue(value: string): boolean {
  return value === 'true' || value === '1';
}

/** Returns whether a time, a day or a number is on the right side of the bound, or on the right day. */
function isInRange(match: 'after' | 'before' | 'on_day', recordValue: unknown, value: string): boolean {
  if (recordValue === null) return false;
  const [time, bound] = [positionOf(recordValue), positionOf(value)];
  if (time === undefined || bound === undefined) return true;
  const tolerance = isDate(value) && !isDate(String(recordValue)) ? maxZoneOffsetMs : 0;
  const end = bound + (isDate(value) ? dayMs : 0) + tolerance;
  if (match === 'before') return time <= end;
  return time >= bound - tolerance && (match === 'after' || time < end);
}

/** Returns the milliseconds since 1970 of a time or day, or a number; undefined for any other value. */
function positionOf(value: unknown): number | undefined {
  const text = String(value);
  return parseFilterTime(text, new Date(0))?.getTime() ?? (/^\d+$/.test(text) ? Number(text) : undefined);
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
