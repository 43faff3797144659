/** A sandbox over HTTP, for every command that needs one for a while. */

import type { Context } from '../../context/context.ts';
import { openApiDocument } from '../../reference/openapi.ts';
import type { Served } from '../../sandbox/server/listen.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import { warn } from '../../terminal/messages.ts';

export interface ServingOptions {
  /** 0 takes a free one. */
  port: number;
  apiPrefix: string;
  /** Approve every application without asking. */
  isApproving: boolean;
  /** The document alone. */
  isStrict?: boolean;
}

/** Loads the HTTP libraries. Answers once the sandbox does. */
export async function startServing(
  sandbox: Sandbox,
  options: ServingOptions,
  { api, streams }: Context,
): Promise<Served> {
  const { listen } = await import('../../sandbox/server/listen.ts');
  const { apiPrefix } = options;
  return listen(sandbox, {
    ...options,
    describe: (baseUrl) => openApiDocument(api, { baseUrl, apiPrefix }),
    onBug: (error) => warn(streams, `a bug of the sandbox: ${error instanceof Error ? error.stack : error}`),
  });
}
