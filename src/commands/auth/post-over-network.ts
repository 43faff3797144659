/** The exchange of a code over the client's own transport, with its proxies, certificates and bounds. */
import type { Post } from '../../auth/exchange.ts';
import { networkTransport } from '../../client/network.ts';
import { TransportError } from '../../client/transport.ts';
import { Failure } from '../../errors.ts';
import { note } from '../../terminal/messages.ts';
import { userAgent } from '../../version.ts';
import type { Context } from '../context.ts';

export function postOverNetwork(timeoutMs: number, { env, globals, signal, streams }: Context): Post {
  return async (url, { headers: given, body, longestAnswer }) => {
    const send = networkTransport({ baseUrl: url.origin, timeoutMs, env, longestAnswer });
    const headers = { ...given, 'user-agent': userAgent() };
    const request = { method: 'POST', path: url.pathname };
    try {
      const start = performance.now();
      const answer = await send({ method: 'POST', target: url.pathname + url.search, headers, body }, signal);
      const ms = Math.round(performance.now() - start);
      if (globals.verbose) note(streams, `POST ${url.pathname}: ${answer.status} in ${ms} ms`);
      return { status: answer.status, text: answer.body };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      signal.throwIfAborted();
      throw new Failure('unavailable', error.message, {
        request,
        hint: error.hint ?? 'Check the network and the address, then sign in again with `boh auth login`.',
        cause: error,
      });
    }
  };
}
