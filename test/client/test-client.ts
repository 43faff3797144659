/** A client over any transport, with the default settings. */
import { type ClientOptions, TransportClient } from '../../src/account/client/client.ts';
import type { Transport } from '../../src/account/client/transport.ts';
import { fakeClock } from './fake-clock.ts';

export const sampleToken = 'token-CANARY-4711';

export function createTestClient(transport: Transport, options: Partial<ClientOptions> = {}) {
  return new TransportClient({
    transport,
    apiPrefix: '',
    userAgent: 'boh/1.2.3',
    wire: { filterStyle: 'bracket', redeemMethod: 'GET' },
    token: { reveal: () => sampleToken },
    clock: fakeClock(),
    ...options,
  });
}
