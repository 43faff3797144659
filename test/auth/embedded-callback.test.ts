import { describe, expect, test } from 'vitest';
import { type Listener, listenForCode } from '../../src/auth/loopback-listener.ts';
import { get } from '../cli/auth-sign-in.ts';

describe.each([false, true])('with --allow-missing-state %s', (allowMissingState) => {
  const query = allowMissingState ? '' : '&state=state-1';

  function comeBack({ redirectUri }: Listener, code: string, headers: Record<string, string>) {
    return get(new URL(`${redirectUri}?code=${code}${query}`), headers);
  }

  test.each(['image', 'iframe', 'script', 'embed', 'object', 'empty', ''])(
    'a callback in a frame (%s) is ignored, and the wait continues',
    async (dest) => {
      const listener = await listenForCode({
        redirectUri: 'http://127.0.0.1:0/callback',
        state: 'state-1',
        allowMissingState,
      });
      const embedded = await comeBack(listener, 'evil', {
        'sec-fetch-dest': dest,
        'sec-fetch-mode': 'no-cors',
      });
      expect(embedded.status).toBe(403);
      expect(embedded.body).not.toContain('Approved');
      const opened = await comeBack(listener, 'ours', { 'sec-fetch-dest': 'document' });
      expect(opened.status).toBe(200);
      expect(await listener.code).toBe('ours');
    },
  );
});
