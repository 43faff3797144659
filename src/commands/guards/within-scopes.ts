/** A client that sends nothing outside the scopes of its token: some deployments lock an address out after 60 refusals. */
import type { Client } from '../../client/client.ts';
import type { Call } from '../../client/request.ts';
import { Failure } from '../../errors.ts';
import { whoami } from '../../resources/whoami.ts';
import { lacking } from './lacking.ts';
import type { TokenScopes } from './token-scopes.ts';

export interface ScopedClient extends Client {
  /**
   * Throws `not_allowed` where the call is outside the token's scopes, as far as those are known. Every call is held
   * to it by itself; ask before look-ups and questions that would be in vain.
   */
  permit(call: Call): void;
}

/** With `unchecked` everything is sent. Whatever `whoami` answers on the way is remembered. */
export function withinScopes(
  client: Client,
  token: TokenScopes,
  { unchecked }: { unchecked: boolean },
): ScopedClient {
  function permit(call: Call): void {
    const known = unchecked ? undefined : token.known();
    const failure = known && refusal(call, known.scopes);
    if (failure) throw failure;
  }

  return {
    ...client,
    permit,
    async get(call) {
      permit(call);
      const answered = await client.get(call);
      if (call.operation.resource === whoami) token.learn(answered.record.scopes);
      return answered;
    },
    async *pages(call) {
      permit(call);
      yield* client.pages(call);
    },
    async write(call) {
      permit(call);
      return client.write(call);
    },
  };
}

/** The failure that names every scope that is missing; undefined where none is. */
export function refusal(call: Call, scopes: readonly string[]): Failure | undefined {
  const lacks = lacking(call, scopes);
  if (lacks === undefined) return undefined;
  const command = `${call.operation.resource.command} ${call.operation.verb}`;
  const need = lacks.operation.length > 0 ? `it needs the scope ${lacks.operation.join(' or ')}` : '';
  const fields = Object.fromEntries(
    Object.entries(lacks.fields).map(([name, needed]) => [name, [`needs the scope ${needed.join(' or ')}`]]),
  );
  const some = Object.keys(fields).length > 0 ? 'some of the fields need a scope of their own' : '';
  return new Failure(
    'not_allowed',
    `The token does not allow \`${command}\`: ${[need, some].filter(Boolean).join(', and ')}. Nothing was sent.`,
    {
      ...(some && { fields }),
      hint:
        'Sign in again with that scope. If it was given since, `boh auth status --check` takes note of it; ' +
        '--unchecked sends the request all the same.',
    },
  );
}
