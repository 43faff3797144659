/** Several connections to one service: each request takes one that is free, or waits for the next that is. */
import type { HttpAnswer, Transport } from './transport.ts';

export function severalTransports(count: number, make: () => Transport): Transport {
  const free: Transport[] = [];
  const waiting: ((transport: Transport) => void)[] = [];
  let made = 0;

  const take = (): Promise<Transport> | Transport => {
    const known = free.pop();
    if (known) return known;
    if (made < count) {
      made++;
      return make();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const giveBack = (transport: Transport) => {
    const next = waiting.shift();
    if (next) next(transport);
    else free.push(transport);
  };

  return async (request, signal): Promise<HttpAnswer> => {
    const transport = await take();
    try {
      return await transport(request, signal);
    } finally {
      giveBack(transport);
    }
  };
}
