/** When a reading began by the service’s own clock, which dates the changes that the next one asks for. */
import { hash } from 'node:crypto';
import { formatTimestamp, readMoment } from '../../contract/moment.ts';
import type { Row } from '../../session/row.ts';
import { scalars } from '../schema/cell.ts';

/**
 * Changes of the last seconds are asked for again: the filter leaves its own second out, and what was written at the
 * same time may have been shown later. In milliseconds.
 */
const overlap = 60_000;

export interface Beginning {
  /** Of each answer, with its records. */
  see(date: string | undefined, records: readonly Row[]): void;
  /** The same as far as an answer has said it. */
  dated(): string | undefined;
  /** When the reading began, `YYYY-MM-DD HH:MM:SS` in UTC; undefined where nothing tells. */
  at(): string | undefined;
  /** Whether a record has changed since then. */
  hasChanged(): boolean;
  /** What has, as a sum over it: the same again where the next reading shows just that. */
  changed(): number;
}

/** `latest` is the last change that is known from before. */
export function beginning(latest?: string): Beginning {
  const began = performance.now();
  let newest = latest ?? '';
  let dated: string | undefined;
  let isSeen = false;
  let sum = 0;
  return {
    see(date, records) {
      if (!isSeen) dated = momentOf(date);
      isSeen = true;
      for (const { id, updated_at } of records) {
        const at = scalars.timestamp?.convert(updated_at);
        // What is no moment says nothing.
        if (typeof at !== 'string') continue;
        if (at > newest) newest = at;
        if (dated !== undefined && at >= dated) sum = (sum + numberFor(`${id} ${at}`)) % largestSum;
      }
    },
    dated: () => dated,
    at() {
      if (dated !== undefined) return dated;
      // Nothing that was shown can be younger than the end of the reading: its beginning is as long before that as it took.
      const moment = newest === '' ? undefined : readMoment(newest, new Date());
      return moment && formatTimestamp(new Date(moment.getTime() - (performance.now() - began)));
    },
    hasChanged() {
      const at = this.at();
      return at !== undefined && newest >= at;
    },
    changed: () => sum,
  };
}

const largestSum = 2 ** 48;

function numberFor(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 12), 16);
}

/** What to ask for, so that nothing that changed since a reading began is left out. */
export function askedSince(since: string): string {
  const moment = readMoment(since, new Date());
  return moment ? formatTimestamp(new Date(moment.getTime() - overlap)) : since;
}

function momentOf(date: string | undefined): string | undefined {
  const moment = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(moment) ? undefined : formatTimestamp(new Date(moment));
}
