/** One POST of JSON that is never repeated, never redirected, and never waits or reads without end. */
import type { Dispatcher } from 'undici';
import { Failure } from '../errors.ts';

export interface PostOptions {
  userAgent: string;
  /** From the first byte sent to the last received. */
  timeoutMs: number;
  signal?: AbortSignal;
  dispatcher?: Dispatcher;
}

export interface Answer {
  status: number;
  text: string;
}

/** An answer with a token is far below this. */
const largest = 1024 * 1024;

/** Throws `unavailable` where no whole answer comes, `interrupted` where the signal ends it. */
export async function post(url: URL, body: string, options: PostOptions): Promise<Answer> {
  const { request } = await import('undici');
  const timeout = AbortSignal.timeout(options.timeoutMs);
  try {
    const { statusCode, body: received } = await request(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': options.userAgent,
      },
      body,
      signal: options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]),
      ...(options.dispatcher && { dispatcher: options.dispatcher }),
    });
    return { status: statusCode, text: await readBounded(received, url) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (options.signal?.aborted) throw interrupted(options.signal.reason);
    throw unavailable(
      url,
      timeout.aborted ? `within ${options.timeoutMs / 1000} seconds` : reason(error),
      error,
    );
  }
}

async function readBounded(stream: AsyncIterable<Uint8Array>, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > largest) throw unavailable(url, 'in less than a megabyte, as a token would');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function interrupted(reason: unknown): Failure {
  return reason instanceof Failure ? reason : new Failure('interrupted', 'Signing in was interrupted.');
}

function unavailable(url: URL, how: string, cause?: unknown): Failure {
  return new Failure('unavailable', `${url.host} did not answer ${how}.`, {
    request: { method: 'POST', path: url.pathname },
    hint: 'Check the network and the address, then sign in again with `boh auth login`.',
    cause,
  });
}

/** The code of the system or of TLS, such as ECONNREFUSED: it can be looked up, and holds no secret. */
function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `properly${code}`;
}
