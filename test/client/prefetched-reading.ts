/** Reads a list with prefetched pages from a service that responds in any order. */
import { type RequestPage, readPages } from '../../src/account/client/read-pages.ts';
import type { RequestInfo } from '../../src/account/client/refusal.ts';
import type { HttpResponse } from '../../src/account/client/transport.ts';
import type { Body, Change, ChangingList, ListResult } from './changing-list.ts';

export interface Service {
  bodyOf(page: number, respondedCount: number): Body | Error;
  dateOf?(): string;
  /** Selects the pending request to respond to next: an index for each response, modulo the number of pending requests. */
  picks?: readonly number[];
}

export interface PrefetchedResult extends ListResult {
  /** The maximum number of concurrent requests. */
  maxInFlight: number;
  /** The pages whose requests were canceled. */
  canceledPages: number[];
}

interface PendingRequest {
  page: number;
  respond(): void;
}

/** Reads the list. Stops after `stopAfter` rows. */
export async function readPrefetched(
  { bodyOf, dateOf, picks = [0] }: Service,
  { most: maxPages = 8, rows = Infinity, stopAfter = Infinity } = {},
): Promise<PrefetchedResult> {
  const result: PrefetchedResult = {
    requestedPages: [],
    ids: [],
    failure: undefined,
    maxInFlight: 0,
    canceledPages: [],
  };
  const pending: PendingRequest[] = [];
  let respondedCount = 0;

  const respondToOne = () => {
    const [next] = pending.splice((picks[respondedCount % picks.length] ?? 0) % pending.length, 1);
    respondedCount++;
    next?.respond();
  };

  const requestPage: RequestPage = (number, signal) =>
    new Promise<[HttpResponse, RequestInfo]>((resolve, reject) => {
      const page = number ?? 1;
      result.requestedPages.push(number);
      pending.push({
        page,
        respond() {
          const headers = dateOf ? { date: dateOf() } : {};
          const body = bodyOf(page, respondedCount);
          if (body instanceof Error) return reject(body);
          resolve([
            { status: 200, headers, body: JSON.stringify(body) },
            { method: 'GET', path: `/suppliers?page=${page}`, subject: 'suppliers' },
          ]);
        },
      });
      signal?.addEventListener('abort', () => result.canceledPages.push(page));
      result.maxInFlight = Math.max(result.maxInFlight, pending.length);
      // All concurrent requests have been sent by then.
      setImmediate(respondToOne);
    });

  try {
    const prefetch = { maxPages: () => maxPages, expectedRows: () => rows, minGainMs: 1e-9 };
    for await (const page of readPages(requestPage, { prefetch })) {
      result.ids.push(...page.rows.map(({ id }) => String(id)));
      if (result.ids.length >= stopAfter) break;
    }
  } catch (failure) {
    result.failure = failure;
  }
  return result;
}

/** Reads a list that changes. `changes` returns the changes before a response, by the number of the response from 1. */
export function readChangingListPrefetched(
  list: ChangingList,
  changes: (respondedCount: number) => readonly Change[],
  picks: readonly number[],
): Promise<PrefetchedResult> {
  return readPrefetched({
    picks,
    dateOf: () => list.tick(),
    bodyOf(page, respondedCount) {
      for (const change of changes(respondedCount)) list.change(change);
      return list.page(page);
    },
  });
}
