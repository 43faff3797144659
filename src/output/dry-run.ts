/** Shows the requests of a dry run. */

import { parseExactJson } from '../base/number-text.ts';
import type { HttpRequest } from '../client/transport.ts';
import type { Context } from '../context/context.ts';
import { redactorAt } from '../contract/redaction.ts';
import { redactTarget } from '../contract/secrets-in-request.ts';
import type { Result } from './result.ts';

/** Returns the requests that a dry run would send, with secrets redacted. */
export async function dryRunResult(context: Context, requests: readonly HttpRequest[]): Promise<Result> {
  const { baseUrl = '', apiPrefix } = await context.settings();
  const redactBody = (method: string, target: string, body: string) =>
    redactorAt(context.api, method, target.slice(apiPrefix.length))(parseExactJson(body));
  return {
    kind: 'dry-run',
    requests: requests.map(({ method, target, body }) => ({
      method,
      url: `${baseUrl}${redactTarget(context.api, target)}`,
      body: body === undefined ? null : redactBody(method, target, body),
    })),
    ...(requests.some(containsLookup) && {
      notes: ['With --offline, names after @ (%40) are not looked up.'],
    }),
  };
}

/** Returns whether an ID in the URL or body starts with @. Other strings in the body may start with @ too. */
function containsLookup({ target, body = '' }: HttpRequest): boolean {
  return /[/=,]%40/.test(target) || /"(?:\w+_)?id":"@/.test(body);
}
