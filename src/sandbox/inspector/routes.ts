/** The inspector of a served sandbox: its page, and the stream of what happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Sandbox } from '../service.ts';
import type { Journal } from './journal.ts';
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

  app.get('/', (context) => {
    const { body, headers } = inspectorPage();
    return context.html(body, 200, headers);
  });

  app.get('/inspector/stream', (context) =>
    streamSSE(context, async (stream) => {
      const tell = (event: string, value: unknown) => stream.writeSSE({ event, data: JSON.stringify(value) });
      const stop = journal.watch((entry) => tell('request', shownEntry(sandbox, prefix, entry)));
      stream.onAbort(stop);
      for (const entry of journal.entries) await tell('request', shownEntry(sandbox, prefix, entry));
      let told = '';
      while (!stream.aborted && !stopping.aborted) {
        const state = shownState(sandbox);
        if (JSON.stringify(state) !== told) await tell('state', state);
        told = JSON.stringify(state);
        await sleep(pace, undefined, { signal: stopping }).catch(() => {});
      }
      stop();
    }),
  );

  return app;
}
