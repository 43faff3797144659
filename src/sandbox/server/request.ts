/** Reads a request from HTTP: the target unchanged, the body complete up to a limit. */
import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../http/http-error.ts';
import type { ServiceRequest } from '../http/message.ts';

/** One byte more than the service accepts, so that the service itself refuses the body. */
const maxKeptBytes = 1_048_577;

/** A body is read to its end, so that the client gets the reason for the refusal; but only up to this size. */
const maxReadBytes = 64 * 1_048_576;

/** Reads a request. */
export async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const { method = '', url = '', headers } = incoming;
  const body = hasBody(incoming) ? await readBody(incoming) : emptyBody;
  // Only set-cookie is ever a list, and it occurs only in responses.
  return { method, target: url, headers: headers as Record<string, string>, body };
}

/**
 * A client that uses the sandbox as a proxy sends the host in the URL, which overrides the host header (RFC 9112,
 * 3.2.2).
 */
export function useHostInUrl(incoming: IncomingMessage): void {
  if (incoming.url?.startsWith('/') !== false) return;
  const [, host, target = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(incoming.url) ?? [];
  if (host === undefined) return;
  incoming.headers.host = host;
  incoming.url = target.startsWith('/') ? target : `/${target}`;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

const emptyBody = new Uint8Array();

/** Reads the body. Fails if the client disconnects or the body is refused; then reading stops. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let [readBytes, keptBytes] = [0, 0];
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Uint8Array) => {
      readBytes += chunk.byteLength;
      if (keptBytes < maxKeptBytes) {
        chunks.push(chunk);
        keptBytes += chunk.byteLength;
      }
      if (readBytes > maxReadBytes) {
        incoming.pause();
        reject(tooLarge('The body is too long.'));
      }
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}
