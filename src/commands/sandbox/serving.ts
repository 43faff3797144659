/** Serves a sandbox over HTTP, for the commands that need a server. */

import { Failure } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { openApiDocument } from '../../reference/openapi.ts';
import type { ServedSandbox } from '../../sandbox/server/listen.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import { note, warn } from '../../terminal/messages.ts';

/** Options for the server of a sandbox. */
export interface ServingOptions {
  /** 0 for a free port. */
  port: number;
  apiPrefix: string;
  /** Whether every app is approved without asking. */
  isAutoApproved: boolean;
  /** Whether only the sign-in that the API document describes is accepted. */
  isStrict?: boolean;
  /** The registered redirect URI. */
  redirectUri?: string | undefined;
}

/** Starts a server. Resolves once it accepts requests. */
export async function startServing(
  sandbox: Sandbox,
  options: ServingOptions,
  { streams }: Context,
): Promise<ServedSandbox> {
  const { listen } = await import('../../sandbox/server/listen.ts');
  const { apiPrefix } = options;
  return listen(sandbox, {
    ...options,
    createOpenApi: (baseUrl) => openApiDocument(sandbox.api, { baseUrl, apiPrefix }),
    onUnexpectedError: (error) =>
      warn(streams, `Bug in the sandbox: ${error instanceof Error ? error.stack : error}`),
  });
}

/** How often orders of other processes are looked up, in milliseconds. */
const orderIntervalMs = 500;

/** The time limit of a request with an event, in milliseconds. */
const webhookTimeoutMs = 5000;

/** Starts posting events to a URL. Failures are reported on stderr. */
export async function startWebhook(
  sandbox: Sandbox,
  url: string,
  { env, streams }: Context,
): Promise<{ close(): Promise<void> }> {
  const { Webhook } = await import('../../sandbox/webhooks.ts');
  const { networkTransport } = await import('../../client/network.ts');
  const send = networkTransport({ baseUrl: new URL(url).origin, timeoutMs: webhookTimeoutMs, env });
  const secret = env.BOH_WEBHOOK_SECRET || undefined;
  if (secret === undefined)
    note(streams, 'Events have no signature. To sign them, set BOH_WEBHOOK_SECRET to the secret.');
  const report = (message: string) => warn(streams, `Webhook: ${message}`);
  const webhook = new Webhook(sandbox, { url, secret, send, onFailure: report });
  const timer = setInterval(() => {
    try {
      webhook.postOrders();
    } catch (error) {
      // The file is locked or was replaced: the next try finds the same orders.
      if (!(error instanceof Failure)) throw error;
    }
  }, orderIntervalMs);
  return {
    close: () => {
      clearInterval(timer);
      return webhook.close();
    },
  };
}
