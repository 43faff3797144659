/** Serves a sandbox over HTTP, for the commands that need a server. */

import type { Context } from '../../context/context.ts';
import { openApiDocument } from '../../reference/openapi.ts';
import type { ServedSandbox } from '../../sandbox/server/listen.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import { warn } from '../../terminal/messages.ts';

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
