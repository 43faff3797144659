/** Defines the pages of the server in addition to the API: the inspector, the authorization, and the OpenAPI document. */
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { RequestLog } from '../inspector/request-log.ts';
import { inspectorRoutes } from '../inspector/routes.ts';
import { authorizeRoutes } from '../oauth/routes.ts';
import type { Sandbox } from '../service.ts';
import type { ServingOptions } from './options.ts';
import { errorResponse } from './send.ts';

export interface Pages {
  /** Returns whether a request is for one of the pages; `target` is its path with the query. */
  has(method: string, target: string): boolean;
  handle: RequestListener;
}

export function createPages(sandbox: Sandbox, log: RequestLog, options: ServingOptions): Pages {
  const app = new Hono<{ Bindings: { incoming: { destroyed: boolean; complete: boolean } } }>();
  app.route('/', inspectorRoutes(sandbox, log, options));
  app.route('/', authorizeRoutes(sandbox, options));
  app.get('/openapi.json', (context) => context.json(options.createOpenApi(new URL(context.req.url).origin)));
  app.onError((error, { env: { incoming } }) => {
    // The client disconnected in the middle of the request.
    if (incoming.destroyed && !incoming.complete) return RESPONSE_ALREADY_SENT;
    const { status, headers, body } = errorResponse(error, options);
    return new Response(body, { status, headers });
  });
  const routes = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
  return {
    has: (method, target) => routes.has(`${method === 'HEAD' ? 'GET' : method} ${target.split('?', 1)[0]}`),
    handle: getRequestListener(app.fetch),
  };
}
