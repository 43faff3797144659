/** Uses an open sandbox like an account, signed in as its owner. */
import type { Embedded } from '../account/session/connection.ts';
import type { WriteObserver } from '../account/session/observed-writes.ts';
import { Session } from '../account/session/session.ts';
import { loadSettings } from '../account/settings/store.ts';
import type { Environment } from '../base/environment.ts';
import type { Variant } from '../sandbox/business/settings.ts';
import type { Sandbox } from '../sandbox/service.ts';

/** Returns an open sandbox as the service of a session, signed in as the owner. */
function createEmbedded(sandbox: Sandbox): Embedded {
  return {
    handle: (request, signal) => sandbox.respond(request, { signal }),
    ownerToken: () => sandbox.ownerToken(),
  };
}

/** Opens a session in the sandbox as its owner, with default settings and the given wire variant. */
export async function openSandboxSession(
  sandbox: Sandbox,
  env: Environment,
  apiPrefix: string,
  { signal }: { signal: AbortSignal },
  variant: Partial<Variant> = {},
  observers: readonly WriteObserver[] = [],
) {
  const { settings } = await loadSettings({ sandbox: true, apiPrefix }, env);
  const { wire } = settings;
  return new Session({
    api: sandbox.api,
    settings: {
      ...settings,
      wire: {
        ...wire,
        envelope: variant['wire.envelope'] ?? wire.envelope,
        deletedFilter: variant['wire.deleted_filter'] ?? wire.deletedFilter,
        pageParam: variant['wire.page_param'] ?? wire.pageParam,
        put: variant['wire.put'] ?? wire.put,
        redeemMethod: variant['wire.redeem_method'] ?? wire.redeemMethod,
      },
    },
    env,
    signal,
    observers,
    embedded: async () => createEmbedded(sandbox),
  });
}
