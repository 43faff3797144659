/** The inspector of a served sandbox: its page, and the stream of what happens. */
import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Failure } from '../../base/errors.ts';
import type { Sandbox } from '../service.ts';
import type { Entry, Journal } from './journal.ts';
import { inspectorPage } from './page.ts';
import { shownEntry, shownState } from './shown.ts';

/** How often the page is told how the sandbox stands, where that changed, in milliseconds. */
const pace = 500;

/** `stopping` ends the streams, which would never end by themselves. */
export function inspectorRoutes(
  sandbox: Sandbox,
  journal: Journal,
  { apiPrefix: prefix, stopping }: { apiPrefix: string; stopping: AbortSignal },
): Hono {
  const app = new Hono();
  /** Laid out once, however many watch. */
  const texts = new WeakMap<Entry, string>();
  const textOf = (entry: Entry) => {
    const text = texts.get(entry) ?? JSON.stringify(shownEntry(sandbox, prefix, entry));
    texts.set(entry, text);
    return text;
  };

  app.get('/', (context) => {
    const { body, headers } = inspectorPage();
    return context.html(body, 200, headers);
  });

  app.get('/inspector/stream', (context) =>
    streamSSE(context, async (stream) => {
      const tell = (event: string, data: string, id?: string) =>
        stream.writeSSE({ event, data, ...(id !== undefined && { id }) });
      const leaving = new AbortController();
      stream.onAbort(() => leaving.abort());
      const signal = AbortSignal.any([stopping, leaving.signal]);
      let seen = journal.numberOf(context.req.header('last-event-id'));
      let told = { state: '', at: -pace };
      while (!signal.aborted) {
        // One after another, whatever comes meanwhile: nothing overtakes what came before it.
        for (const entry of journal.after(seen)) {
          await tell('request', textOf(entry), journal.idOf(entry));
          seen = entry.number;
          // Whoever watches comes after those who ask.
          await setImmediate();
          if (signal.aborted) return;
        }
        const now = performance.now();
        if (now - told.at >= pace) {
          const state = stateOf(sandbox) ?? told.state;
          if (state !== told.state) await tell('state', state);
          told = { state, at: now };
        }
        await journal.more(seen, AbortSignal.any([signal, AbortSignal.timeout(pace)]));
      }
    }),
  );

  return app;
}

/** Undefined where the file can't be read for now: what is asked of the sandbox says so. */
function stateOf(sandbox: Sandbox): string | undefined {
  try {
    return JSON.stringify(shownState(sandbox));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
