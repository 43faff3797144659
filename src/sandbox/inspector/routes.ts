/** The inspector of a served sandbox: its page, and the stream of events. */
import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Failure } from '../../base/errors.ts';
import type { Sandbox } from '../service.ts';
import { inspectorPage } from './page.ts';
import { inspectorEntry, inspectorState } from './page-data.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';

/** How often the page gets the state of the sandbox, if it has changed, in milliseconds. */
const stateIntervalMs = 500;

/** Returns the inspector's routes. `stopping` ends the streams, which would otherwise never end. */
export function inspectorRoutes(
  sandbox: Sandbox,
  log: RequestLog,
  { apiPrefix: prefix, stopping }: { apiPrefix: string; stopping: AbortSignal },
): Hono {
  const app = new Hono();
  /** Each entry is formatted once, however many readers there are. */
  const jsonByEntry = new WeakMap<LoggedRequest, string>();
  const jsonOf = (entry: LoggedRequest) => {
    const text = jsonByEntry.get(entry) ?? JSON.stringify(inspectorEntry(sandbox, prefix, entry));
    jsonByEntry.set(entry, text);
    return text;
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
      let sent = { state: '', at: -stateIntervalMs };
      while (!signal.aborted) {
        // Entries are sent one after another, so that they stay in order.
        for (const entry of log.after(lastNumber)) {
          await send('request', jsonOf(entry), log.idOf(entry));
          lastNumber = entry.number;
          // Requests are handled before the readers of the stream.
          await setImmediate();
          if (signal.aborted) return;
        }
        const now = performance.now();
        if (now - sent.at >= stateIntervalMs) {
          const state = stateJson(sandbox) ?? sent.state;
          if (state !== sent.state) await send('state', state);
          sent = { state, at: now };
        }
        await log.waitForNewer(lastNumber, AbortSignal.any([signal, AbortSignal.timeout(stateIntervalMs)]));
      }
    }),
  );

  return app;
}

/** Returns undefined if the file can't be read at the moment: requests to the sandbox report that. */
function stateJson(sandbox: Sandbox): string | undefined {
  try {
    return JSON.stringify(inspectorState(sandbox));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
