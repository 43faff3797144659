import { describe, expect, test } from 'vitest';
import { type Listener, listenForCode } from '../../src/account/auth/loopback-listener.ts';
import { get } from '../cli/auth-sign-in.ts';

describe.each([false, true])('with --allow-missing-state %s', (allowMissingState) => {
  const query = allowMissingState ? '' : '&state=state-1';

  function requestCallback({ redirectUri }: Listener, code: string, headers: Record<string, string>) {
    return get(new URL(`${redirectUri}?code=${code}${query}`), headers);
  }

  test.each(['image', 'iframe', 'script', 'embed', 'object', 'empty', ''])(
    'a callback with Sec-Fetch-Dest "%s": is refused, and the listener keeps waiting',
    async (destination) => {
      const listener = await listenForCode({
        redirectUri: 'http://127.0.0.1:0/callback',
        state: 'state-1',
        allowMissingState,
      });
      const embedded = await requestCallback(listener, 'injected', {
        'sec-fetch-dest': destination,
        'sec-fetch-mode': 'no-cors',
      });
      expect(embedded.status).toBe(403);
      expect(embedded.body).not.toContain('Approved');
      const topLevel = await requestCallback(listener, 'expected', { 'sec-fetch-dest': 'document' });
      expect(topLevel.status).toBe(200);
      expect(await listener.code).toBe('expected');
    },
  );
});
