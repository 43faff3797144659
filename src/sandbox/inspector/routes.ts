/** Defines the routes of the inspector: its page, and the event stream. */

import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Failure } from '../../base/errors.ts';
import type { Database } from '../../base/storage/database.ts';
import type { ClockState } from '../business/clock.ts';
import { eventsSince, type NotificationEvent, newestSequence } from '../business/events.ts';
import { readFaultPlan } from '../faults/engine.ts';
import type { Sandbox } from '../service.ts';
import { requestEntry } from './entries.ts';
import { inspectorPage } from './page.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';

/** The interval at which a changed state of the sandbox is sent to the page, in milliseconds. */
const stateIntervalMs = 500;

/** Returns the inspector's routes. `stopping` ends the open streams. */
export function inspectorRoutes(
  sandbox: Sandbox,
  log: RequestLog,
  { apiPrefix: prefix, stopping }: { apiPrefix: string; stopping: AbortSignal },
): Hono {
  const app = new Hono();
  /** The JSON of each entry, formatted once for all readers. */
  const jsonByEntry = new WeakMap<LoggedRequest, string>();
  const jsonOf = (entry: LoggedRequest) => {
    const json = jsonByEntry.get(entry) ?? JSON.stringify(requestEntry(sandbox, prefix, entry));
    jsonByEntry.set(entry, json);
    return json;
  };

  app.get('/', (context) => {
    const { body, headers } = inspectorPage();
    return context.html(body, 200, headers);
  });

  app.get('/inspector/stream', (context) =>
    streamSSE(context, async (stream) => {
      const send = (event: string, data: string, id?: string) =>
        stream.writeSSE({ event, data, ...(id !== undefined && { id }) });
      const disconnected = new AbortController();
      stream.onAbort(() => disconnected.abort());
      const signal = AbortSignal.any([stopping, disconnected.signal]);
      let lastNumber = log.numberOf(context.req.header('last-event-id'));
      let lastState = { json: '', sentAtMs: -stateIntervalMs };
      while (!signal.aborted) {
        // Entries are sent one by one, in order.
        for (const entry of log.entriesAfter(lastNumber)) {
          await send('request', jsonOf(entry), log.idOf(entry));
          lastNumber = entry.number;
          // Pending requests are handled before the next entry is sent.
          await setImmediate();
          if (signal.aborted) return;
        }
        const nowMs = performance.now();
        if (nowMs - lastState.sentAtMs >= stateIntervalMs) {
          const json = stateJson(sandbox) ?? lastState.json;
          if (json !== lastState.json) await send('state', json);
          lastState = { json, sentAtMs: nowMs };
        }
        await log.waitForNewer(lastNumber, AbortSignal.any([signal, AbortSignal.timeout(stateIntervalMs)]));
      }
    }),
  );

  return app;
}

/** Returns the state as JSON; undefined if the file can't be read now. Requests to the sandbox report that error. */
function stateJson(sandbox: Sandbox): string | undefined {
  try {
    return JSON.stringify(inspectorState(sandbox));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The state of the sandbox on the page. The page's script reads these fields. */
interface InspectorState {
  clock: ClockState;
  /** The numbers of records by the API's resource name. */
  records: Record<string, { active: number; deleted: number }>;
  /** The newest events, newest first. */
  events: { at: string; type: string; about: string }[];
  /** The number of rules in the fault plan. */
  faults: number;
}

const maxEvents = 30;

function inspectorState(sandbox: Sandbox): InspectorState {
  const { clock, records } = sandbox.status();
  return {
    clock,
    records,
    events: newestEvents(sandbox.database).map(inspectorEvent),
    faults: readFaultPlan(sandbox.database)?.rules.length ?? 0,
  };
}

function newestEvents(database: Database): NotificationEvent[] {
  return eventsSince(database, newestSequence(database) - maxEvents, maxEvents).reverse();
}

function inspectorEvent({
  at,
  type,
  branch,
  subject,
  users,
}: NotificationEvent): InspectorState['events'][number] {
  const names = users.map(({ name }) => name).join(', ');
  return { at, type, about: `${branch.name}, ${subject.resource} ${subject.id}; notified: ${names}` };
}
