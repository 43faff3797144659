/** What `--dry-run` shows instead of sending: each request, as it would go out, with secrets masked. */

import { exactJson } from '../base/number-text.ts';
import type { HttpRequest } from '../client/transport.ts';
import type { Context } from '../context/context.ts';
import { maskAt } from '../contract/secret-mask.ts';
import { coveredTarget } from '../contract/secret-request.ts';
import type { Result } from './result.ts';

/** Secrets stand masked, so that a dry run can be shown to others. */
export async function planned(context: Context, requests: readonly HttpRequest[]): Promise<Result> {
  const { baseUrl = '', apiPrefix } = await context.settings();
  const masked = (method: string, target: string, body: string) =>
    maskAt(context.api, method, target.slice(apiPrefix.length))(exactJson(body));
  return {
    kind: 'planned',
    requests: requests.map(({ method, target, body }) => ({
      method,
      url: `${baseUrl}${coveredTarget(context.api, target)}`,
      body: body === undefined ? null : masked(method, target, body),
    })),
    ...(requests.some(holdsLookup) && {
      remarks: ['What stands after @ (%40) is looked up only without --offline.'],
    }),
  };
}

/** Ids that begin with @, in the address or as an id of the body; a text may begin with it, too. */
function holdsLookup({ target, body = '' }: HttpRequest): boolean {
  return /[/=,]%40/.test(target) || /"(?:\w+_)?id":"@/.test(body);
}
