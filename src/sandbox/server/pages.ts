/** The pages beside the API: the inspector, signing in, and what the service says of itself. */
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { Journal } from '../inspector/journal.ts';
import { inspectorRoutes } from '../inspector/routes.ts';
import { authorizeRoutes } from '../oauth/routes.ts';
import type { Sandbox } from '../service.ts';
import type { ServingOptions } from './options.ts';
import { answerTo } from './trouble.ts';

export interface Pages {
  /** Whether a request is for one of them; `target` is its path with the query. */
  has(method: string, target: string): boolean;
  answer: RequestListener;
}

export function pagesOf(sandbox: Sandbox, journal: Journal, options: ServingOptions): Pages {
  const app = new Hono<{ Bindings: { incoming: { destroyed: boolean; complete: boolean } } }>();
  app.route('/', inspectorRoutes(sandbox, journal, options));
  app.route('/', authorizeRoutes(sandbox, options));
  app.get('/openapi.json', (context) => context.json(options.describe(new URL(context.req.url).origin)));
  app.onError((error, { env: { incoming } }) => {
    // Whoever sent it went away in the middle: nobody is there to be answered.
    if (incoming.destroyed && !incoming.complete) return RESPONSE_ALREADY_SENT;
    const { status, headers, body } = answerTo(error, options);
    return new Response(body, { status, headers });
  });
  const known = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
  return {
    has: (method, target) => known.has(`${method === 'HEAD' ? 'GET' : method} ${target.split('?', 1)[0]}`),
    answer: getRequestListener(app.fetch),
  };
}
