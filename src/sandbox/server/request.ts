/** A request as it came over HTTP: its target untouched, its body read whole and bounded. */
import type { IncomingMessage } from 'node:http';
import type { ServiceRequest } from '../http/message.ts';
import { tooLarge } from '../http/refusal.ts';

/** A little more than the service takes, which says so itself. */
const mostKept = 1_048_577;

/** A body is read to its end, so that the sender hears why it was refused; but not for ever. */
const mostRead = 64 * 1_048_576;

export async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const { method = '', url = '', headers } = incoming;
  // Only set-cookie is ever a list, and that one comes with answers alone.
  return { method, target: url, headers: headers as Record<string, string>, body: await readBody(incoming) };
}

async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const { headers } = incoming;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return noBody;
  const chunks: Uint8Array[] = [];
  let [read, kept] = [0, 0];
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    read += chunk.byteLength;
    if (read > mostRead) throw tooLarge('The body does not end.');
    if (kept < mostKept) {
      chunks.push(chunk);
      kept += chunk.byteLength;
    }
  }
  return Buffer.concat(chunks);
}

const noBody = new Uint8Array();
