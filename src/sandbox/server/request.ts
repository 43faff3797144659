/** Reads a request from HTTP, with its unchanged target and its body. */
import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../http/http-error.ts';
import type { ServiceRequest } from '../http/message.ts';

/** The maximum number of stored body bytes: one more than the service accepts, so that the service refuses the body. */
const maxStoredBytes = 1_048_577;

/** The maximum number of read body bytes. Too large bodies are read too, so that the client receives the response. */
const maxReadBytes = 64 * 1_048_576;

/** Reads a request. Throws if the client disconnects or the body is too long. */
export async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const { method = '', url = '', headers } = incoming;
  const body = hasBody(incoming) ? await readBody(incoming) : emptyBody;
  // Only the set-cookie header is a list, and requests don't have it.
  return { method, target: url, headers: headers as Record<string, string>, body };
}

/**
 * Moves the host of an absolute URL to the host header, which it overrides (RFC 9112, 3.2.2). Clients that use the
 * sandbox as a proxy send absolute URLs.
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

/** Reads the body. Throws if the client disconnects or the body is too long, and stops reading then. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let [readBytes, storedBytes] = [0, 0];
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Uint8Array) => {
      readBytes += chunk.byteLength;
      if (storedBytes < maxStoredBytes) {
        chunks.push(chunk);
        storedBytes += chunk.byteLength;
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
