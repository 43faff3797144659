/** A walk over a list that asks for pages ahead, of a service that serves what it is asked in any order. */
import { type RequestPage, readPages } from '../../src/client/read-pages.ts';
import type { RequestInfo } from '../../src/client/refusal.ts';
import type { HttpResponse } from '../../src/client/transport.ts';
import type { Body, Change, LivingList, Walked } from './living-list.ts';

export interface Service {
  bodyOf(page: number, served: number): Body | Error;
  dateOf?(): string;
  /** Which of those that wait is served next: a number for each, of which the rest by their count is taken. */
  picks?: readonly number[];
}

export interface EarlyWalk extends Walked {
  /** The most requests that were under way at once. */
  mostAtOnce: number;
  /** Pages whose waiting was ended. */
  ended: number[];
}

interface Waiting {
  page: number;
  serve(): void;
}

/** `stopAfter` rows the reading stops. */
export async function walkEarly(
  { bodyOf, dateOf, picks = [0] }: Service,
  { most = 8, rows = Infinity, stopAfter = Infinity } = {},
): Promise<EarlyWalk> {
  const walked: EarlyWalk = { asked: [], ids: [], failure: undefined, mostAtOnce: 0, ended: [] };
  const waiting: Waiting[] = [];
  let served = 0;

  const serveOne = () => {
    const [next] = waiting.splice((picks[served % picks.length] ?? 0) % waiting.length, 1);
    served++;
    next?.serve();
  };

  const ask: RequestPage = (number, signal) =>
    new Promise<[HttpResponse, RequestInfo]>((resolve, reject) => {
      const page = number ?? 1;
      walked.asked.push(number);
      waiting.push({
        page,
        serve() {
          const headers = dateOf ? { date: dateOf() } : {};
          const body = bodyOf(page, served);
          if (body instanceof Error) return reject(body);
          resolve([
            { status: 200, headers, body: JSON.stringify(body) },
            { method: 'GET', path: `/suppliers?page=${page}`, subject: 'suppliers' },
          ]);
        },
      });
      signal?.addEventListener('abort', () => walked.ended.push(page));
      walked.mostAtOnce = Math.max(walked.mostAtOnce, waiting.length);
      // Everyone who wants to ask has asked by then.
      setImmediate(serveOne);
    });

  try {
    const ahead = { maxPages: () => most, expectedRows: () => rows, minGainMs: 1e-9 };
    for await (const page of readPages(ask, { prefetch: ahead })) {
      walked.ids.push(...page.rows.map(({ id }) => String(id)));
      if (walked.ids.length >= stopAfter) break;
    }
  } catch (failure) {
    walked.failure = failure;
  }
  return walked;
}

/** `changes` are those that happen before each answer, by its number from 1. */
export function walkLivingEarly(
  list: LivingList,
  changes: (served: number) => readonly Change[],
  picks: readonly number[],
): Promise<EarlyWalk> {
  return walkEarly({
    picks,
    dateOf: () => list.tick(),
    bodyOf(page, served) {
      for (const change of changes(served)) list.change(change);
      return list.page(page);
    },
  });
}
