/** An answer on its way out: whole, half of it, or none at all. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Delivery } from '../faults/deliver.ts';
import type { ServiceResponse } from '../http/message.ts';

/** The request that is answered, and where the answer goes. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

export function send({ answer, sent }: Delivery, exchange: Exchange): void {
  if (sent === 'whole') sendWhole(answer, exchange);
  else if (sent === 'none') exchange.incoming.socket.resetAndDestroy();
  else sendHalf(answer, exchange);
}

/** In one piece. To HEAD what stands above the body that a GET would have. Nothing where nobody is there any more. */
export function sendWhole(
  { status, headers, body }: ServiceResponse,
  { incoming, outgoing }: Exchange,
): void {
  if (outgoing.destroyed) return;
  const length = status === withoutBody ? undefined : { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
}

const withoutBody = 204;

/** Where there is no body, one is promised that never comes. */
function sendHalf({ status, headers, body }: ServiceResponse, { incoming, outgoing }: Exchange): void {
  const bytes = Buffer.from(body);
  outgoing.writeHead(status, { ...headers, 'content-length': Math.max(bytes.length, 64) });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.destroy());
}
