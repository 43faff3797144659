/** A list read again and again, at a pace that the service allows. */
import type { Clock } from '../../client/retry.ts';
import type { Row } from '../../client/shape.ts';
import { Failure } from '../../errors.ts';
import type { ListCall, Reach } from '../../session/list.ts';
import type { Session } from '../../session/session.ts';
import type { Context } from '../context.ts';
import { footer } from '../output/footer.ts';
import type { View } from '../output/view.ts';

/** What a watch goes by; tests put their own clock in it. */
export interface Watch {
  context: Context;
  session: Pick<Session, 'list'>;
  call: ListCall;
  view: View;
  reach: Reach;
  everyMs: number;
  clock: Pick<Clock, 'now' | 'sleep'>;
}

/** Services allow as few as 30 requests a minute (docs/deployments.md: "Answers"). */
export const leastPauseMs = 2_000;

/** A service that can't be reached is asked this often at least. */
const longestPauseMs = 5 * 60_000;

/** The rows, or why they could not be read this time. */
export type Reading = { rows: Row[]; footer: string } | { rows?: undefined; problem: string };

/**
 * Reads, waits, and reads again until the signal ends it. The first reading must succeed; after that a service that
 * can't be reached is waited for. A list of many pages is read less often, as it uses up more of what is allowed.
 */
export async function* readings(
  watch: Watch,
  callNow: () => ListCall,
  reach: Reach,
): AsyncGenerator<Reading> {
  const { session, clock, context, everyMs, call } = watch;
  let hasSucceeded = false;
  let problems = 0;
  for (;;) {
    let pauseMs = everyMs;
    const list = session.list(callNow(), reach);
    try {
      const rows = await Array.fromAsync(list.rows());
      hasSucceeded = true;
      problems = 0;
      yield { rows, footer: footer(call.operation.resource, list.facts(), call.query.page) };
    } catch (error) {
      if (!hasSucceeded || !isPassing(error)) throw error;
      // Never before the service wants to be asked again; and less and less often, until it answers.
      const asked = (error.details.retryAfter ?? 0) * 1000;
      pauseMs = Math.max(asked, Math.min(everyMs * 2 ** problems++, Math.max(everyMs, longestPauseMs)));
      yield { problem: error.message };
    }
    await clock.sleep(Math.max(pauseMs, list.facts().pages * leastPauseMs), context.signal);
  }
}

function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && (error.category === 'unavailable' || error.category === 'rate_limited');
}
