/** Several records by their ids, read one after the other as a list is read page by page. */
import { Failure } from '../base/errors.ts';
import type { Page } from '../client/answer.ts';
import type { Answered } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Reading } from './list.ts';

export interface EachReading extends Reading {
  /** The records that could not be read, in their order. */
  failures(): readonly { id: string; failure: Failure }[];
}

/**
 * A record that isn’t there, or can’t be seen, is passed over and told of by `failures`; what would meet every other
 * record as well is thrown.
 */
export function readEach(
  get: (call: Call) => Promise<Answered>,
  calls: readonly Call[],
  onFailure: (failure: Failure) => void,
): EachReading {
  const failures: { id: string; failure: Failure }[] = [];
  let count = 0;

  async function* pages(): AsyncGenerator<Page> {
    for (const [index, call] of calls.entries()) {
      try {
        const { record, body } = await get(call);
        count++;
        yield { number: index + 1, rows: [record], body };
      } catch (error) {
        if (!(error instanceof Failure) || !isOfOne(error)) throw error;
        failures.push({ id: call.ids?.[0] ?? '', failure: error });
        onFailure(error);
      }
    }
  }

  async function* batches() {
    for await (const page of pages()) yield page.rows;
  }

  async function* rows() {
    for await (const batch of batches()) yield* batch;
  }

  return {
    pages,
    batches,
    rows,
    facts: () => ({
      count,
      pages: count,
      total: undefined,
      lastPage: undefined,
      isCut: false,
      hasMore: 'no',
    }),
    failures: () => failures,
  };
}

function isOfOne({ category }: Failure): boolean {
  return category === 'not_found' || category === 'refused';
}
