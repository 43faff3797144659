/** A client over any transport, with the default settings. */
import { type ClientOptions, TransportClient } from '../../src/client/client.ts';
import type { Transport } from '../../src/client/transport.ts';
import { stillClock } from './still-clock.ts';

export const sampleToken = 'token-CANARY-4711';

export function clientOver(transport: Transport, options: Partial<ClientOptions> = {}) {
  return new TransportClient({
    transport,
    apiPrefix: '',
    userAgent: 'boh/1.2.3',
    wire: { filterStyle: 'bracket', redeemMethod: 'GET' },
    token: { reveal: () => sampleToken },
    clock: stillClock(),
    ...options,
  });
}
