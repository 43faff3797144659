/** A session with a service in this process, which writes down what it is asked. */
import type { Handler } from '../../src/client/transport.ts';
import { api } from '../../src/resources/index.ts';
import { openSession, type Session, type SessionOptions } from '../../src/session/session.ts';
import { resolveSettings } from '../../src/settings/resolve.ts';

export const settings = resolveSettings({
  flags: { sandbox: true },
  environment: {},
  config: { version: 1, profiles: {}, defaults: {} },
});

export interface Asked {
  method: string;
  target: string;
  body: unknown;
}

/** `answer` gives the body of a 200, or a whole answer. */
export function sessionOver(
  answer: (asked: Asked) => object | { status: number; body: string },
  options: Partial<SessionOptions> = {},
): { session: Session; asked: Asked[] } {
  const asked: Asked[] = [];
  const handle: Handler = ({ method, target, body }) => {
    const one = {
      method,
      target: decodeURIComponent(target),
      body: body === '' ? undefined : JSON.parse(body),
    };
    asked.push(one);
    const given = answer(one);
    return 'status' in given && 'body' in given
      ? { status: Number(given.status), headers: {}, body: String(given.body) }
      : { status: 200, headers: {}, body: JSON.stringify(given) };
  };
  const session = openSession({
    api,
    settings,
    env: {},
    embedded: async () => ({ handle, ownerToken: () => 'owner-token' }),
    ...options,
  });
  return { session, asked };
}
