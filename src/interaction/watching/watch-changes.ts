/** `list --watch -o ndjson`: one line for each record that changes. */

import type { Row } from '../../client/shape.ts';
import { changedAfter } from '../../contract/filter.ts';
import { formatTimestamp, readMoment } from '../../contract/moment.ts';
import { warn } from '../../terminal/messages.ts';
import { presentable } from '../output/present-records.ts';
import type { Moment } from '../output/result.ts';
import { readings, type Watch } from './readings.ts';

/** How far the service's clock may be behind ours without a change being missed. */
const allowanceMs = 15 * 60_000;

/** `updated_at` has whole seconds: a second change within the same one must not be missed. */
const overlapMs = 2_000;

/**
 * Asks for what was updated since the newest change that is known. What had changed before the watch began is printed
 * only where `--updated-after` asks for it. A list without that filter is read whole each time.
 */
export async function* watchChanges(watch: Watch): AsyncGenerator<Moment> {
  const { context, view, call, reach, clock } = watch;
  const { filters = {} } = call.query;
  const changed = changedAfter(call.operation.resource.filters);
  const asked = changed && filters[changed.name];
  let since = asked ?? formatTimestamp(new Date(clock.now() - allowanceMs));
  let known = asked === undefined ? undefined : new Map<string, string>();
  let printed = 0;

  const callNow = () =>
    changed ? { ...call, query: { ...call.query, filters: { ...filters, [changed.name]: since } } } : call;
  for await (const reading of readings(watch, callNow, { isFirstPageOnly: false })) {
    if (!reading.rows) {
      warn(context.streams, reading.problem);
      continue;
    }
    const before = known;
    known = new Map(reading.rows.map((row) => [String(row.id), JSON.stringify(row)]));
    for (const row of reading.rows) {
      if (!before || before.get(String(row.id)) === known.get(String(row.id))) continue;
      yield { facts: presentable(view, row), line: '' };
      if (++printed === reach.limit) return;
    }
    since = afterNewest(reading.rows, since);
  }
}

/** Never earlier than before: a list that is empty by now says nothing of the time. */
function afterNewest(rows: readonly Row[], since: string): string {
  const newest =
    rows
      .map(({ updated_at: at }) => (typeof at === 'string' ? at : ''))
      .sort()
      .at(-1) ?? '';
  const moment = readMoment(newest, new Date(0));
  const next = moment ? formatTimestamp(new Date(moment.getTime() - overlapMs)) : '';
  return next > since ? next : since;
}
