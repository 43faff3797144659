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
  const body = hasBody(incoming) ? await readBody(incoming) : noBody;
  // Only set-cookie is ever a list, and that one comes with answers alone.
  return { method, target: url, headers: headers as Record<string, string>, body };
}

/** Whoever takes the sandbox for a proxy names it in the address itself, which then goes before the host (RFC 9112, 3.2.2). */
export function takeWholeAddress(incoming: IncomingMessage): void {
  if (incoming.url?.startsWith('/') !== false) return;
  const [, host, target = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(incoming.url) ?? [];
  if (host === undefined) return;
  incoming.headers.host = host;
  incoming.url = target.startsWith('/') ? target : `/${target}`;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

const noBody = new Uint8Array();

/** Fails where the sender goes away, and where the body is refused: then nothing more of it is read. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let [read, kept] = [0, 0];
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Uint8Array) => {
      read += chunk.byteLength;
      if (kept < mostKept) {
        chunks.push(chunk);
        kept += chunk.byteLength;
      }
      if (read > mostRead) {
        incoming.pause();
        reject(tooLarge('The body does not end.'));
      }
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}
