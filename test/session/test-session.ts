/** Opens a session whose service runs in this process and records its requests. */
import type { Handler } from '../../src/account/client/transport.ts';
import { Session, type SessionOptions } from '../../src/account/session/session.ts';
import { resolveSettings } from '../../src/account/settings/resolve.ts';
import { api } from '../../src/api/resources/index.ts';

/** The settings of a sandbox without a profile. */
export const settings = resolveSettings({
  flags: { sandbox: true },
  environment: {},
  config: { version: 1, profiles: {}, defaults: {} },
});

/** A request that the service received: the decoded target, and the parsed body. */
export interface RecordedRequest {
  method: string;
  target: string;
  body: unknown;
}

/**
 * Opens a session and returns it with its requests. `respond` returns the body of a response with status 200, or the
 * status and the text of another response.
 */
export function openTestSession(
  respond: (request: RecordedRequest) => object | { status: number; body: string },
  options: Partial<SessionOptions> = {},
): { session: Session; requests: RecordedRequest[] } {
  const requests: RecordedRequest[] = [];
  const handle: Handler = ({ method, target, body }) => {
    const request = {
      method,
      target: decodeURIComponent(target),
      body: body === '' ? undefined : JSON.parse(body),
    };
    requests.push(request);
    const response = respond(request);
    return 'status' in response && 'body' in response
      ? { status: Number(response.status), headers: {}, body: String(response.body) }
      : { status: 200, headers: {}, body: JSON.stringify(response) };
  };
  const session = new Session({
    api,
    settings,
    env: {},
    embedded: async () => ({ handle, ownerToken: () => 'owner-token' }),
    ...options,
  });
  return { session, requests };
}
