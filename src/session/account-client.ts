/** A client that stays within the scopes of its token, and takes note of what answers tell beyond what was asked. */
import type { Client } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Row } from '../client/shape.ts';
import type { Api } from '../contract/api.ts';
import { getWithOptional, pagesWithOptional } from './optional-include.ts';
import type { References } from './references.ts';
import type { TokenScopes } from './token-scopes.ts';

export interface AccountClientOptions {
  api: Api;
  /** Throws where a call is outside the scopes. */
  permit(call: Call): Promise<void>;
  scopes: TokenScopes;
  references: References;
}

export function accountClient(
  underneath: Client,
  { api, permit, scopes, references }: AccountClientOptions,
): Client {
  const learn = ({ operation: { resource } }: Call, record: Row) => {
    if (resource === api.account) scopes.learn(record.scopes);
    references.see(resource, [record]);
    references.keep();
  };
  return {
    ...underneath,
    get: async (call) => {
      await permit(call);
      const answered = await getWithOptional(call, scopes.known()?.scopes, underneath.get);
      learn(call, answered.record);
      return answered;
    },
    pages: async function* (call) {
      await permit(call);
      try {
        for await (const page of pagesWithOptional(call, scopes.known()?.scopes, underneath.pages)) {
          references.see(call.operation.resource, page.rows);
          yield page;
        }
      } finally {
        references.keep();
      }
    },
    write: async (call) => {
      await permit(call);
      const answered = await underneath.write(call);
      if (answered) learn(call, answered.record);
      return answered;
    },
  };
}
