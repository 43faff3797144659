/** Listens on this machine for the redirect with the code. Stops after the first response with the right state. */

import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, usage } from '../../base/errors.ts';
import { boh, formatHint } from '../../base/hint.ts';
import { isLoopback } from '../../base/loopback.ts';
import { palette } from '../../base/palette.ts';
import { createState } from './authorization-url.ts';
import { type ExpectedResponse, ForeignResponse, parseCallback } from './callback.ts';

export interface ListenOptions extends ExpectedResponse {
  /** An http URL with a loopback host. Port 0 means any free port. */
  redirectUri: string;
  /** Ends the wait, for example on Ctrl-C. If its reason is a Failure, the wait fails with it. */
  signal?: AbortSignal;
  /** Ends the wait with a timeout. Default: after 600 seconds, which is how long a code is valid ("Limits"). */
  deadline?: AbortSignal;
}

/** A listener that waits for the code. */
export interface Listener {
  /** The redirect URI of the options, with the actual port instead of port 0. */
  redirectUri: string;
  /** Resolves to the code. Rejects with `not_signed_in` for a denial, another error or a timeout, or with `interrupted`. */
  code: Promise<string>;
  /**
   * Returns the URL of a page that redirects to the target, once. All users of the machine can read the arguments of a
   * browser process, so they get this URL instead of the authorization URL with the state.
   */
  redirectOnce(target: string): string;
  /** Stops listening. If the code hasn't arrived, `code` rejects with `interrupted`. */
  close(): Promise<void>;
}

const codeLifetimeMs = 600_000;

/** Returns whether a browser on this machine can be redirected to boh. Otherwise users have to paste the URL or the code. */
export function canListen(redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false;
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'http:' && isLoopback(hostname);
}

export function withPort(redirectUri: string, port: number): string {
  return redirectUri.replace(/^(https?:\/\/(?:\[[^\]]*\]|[^/?#:]*))(?::\d*)?/i, `$1:${port}`);
}

/** Starts listening. Throws a usage failure if the redirect URI isn't on this machine or its port is in use. */
export async function listenForCode(options: ListenOptions): Promise<Listener> {
  if (!canListen(options.redirectUri)) {
    throw usage(`boh can't listen on ${options.redirectUri}: it isn't an http URL of this machine.`, {
      hint: 'Sign in with --no-browser, and paste the URL of the page that opens after you approve.',
    });
  }
  const { hostname, port, pathname } = new URL(options.redirectUri);
  const { promise: code, resolve, reject } = Promise.withResolvers<string>();
  code.catch(() => undefined); // It may fail before anyone waits for it.
  let isOver = false;
  const startPath = `/start-${createState()}`;
  let startTarget: string | undefined;

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const url = requestedUrl(request);
    if (url === undefined)
      respond(response, 403, 'Not allowed', 'This page is only available on this machine.');
    else if (isOver || ![pathname, startPath].includes(url.pathname))
      respond(response, 404, 'Not found', 'Page not found.');
    else if (request.method !== 'GET')
      respond(response, 405, 'Not allowed', 'This page only accepts GET requests.');
    else if (isEmbedded(request)) respond(response, 403, 'Not allowed', 'Open this page in its own tab.');
    else if (url.pathname === startPath) handleStart(response);
    else handleRedirect(url.searchParams, response);
  }

  function handleStart(response: ServerResponse): void {
    if (startTarget === undefined) respond(response, 410, 'Already opened', ...alreadyOpened);
    else response.writeHead(302, { ...pageHeaders, location: startTarget }).end();
    startTarget = undefined;
  }

  /** Ends the wait with the first response to this sign-in, even an invalid one. Others are stale pages or attacks. */
  function handleRedirect(query: URLSearchParams, response: ServerResponse): void {
    const outcome = parseResponse(query, options);
    if (outcome instanceof ForeignResponse) {
      const hint = formatHint(outcome.details.hint ?? '');
      respond(response, 400, 'Response rejected', outcome.message, stillWaiting, hint);
      return;
    }
    isOver = true;
    response.once('close', () => finish(outcome));
    if (outcome instanceof Failure) respond(response, 400, 'Not signed in', outcome.message, afterFailure);
    else respond(response, 200, 'Approved', afterApproval);
  }

  const servers = await listenOnLoopback(hostname, port === '' ? 80 : Number(port), serve);
  const unwatch = watchSignals(options, (failure) => {
    isOver = true;
    finish(failure);
  });

  /** Ends the wait after the servers are closed. */
  async function finish(outcome: string | Failure): Promise<void> {
    await servers.close();
    unwatch();
    if (outcome instanceof Failure) reject(outcome);
    else resolve(outcome);
  }

  const redirectUri = port === '0' ? withPort(options.redirectUri, servers.port) : options.redirectUri;
  return {
    redirectUri,
    code,
    redirectOnce(target) {
      startTarget = target;
      return new URL(startPath, redirectUri).href;
    },
    close: () => finish(new Failure('interrupted', 'Sign-in was canceled.')),
  };
}

const afterApproval = 'Return to the terminal to finish signing in. You can close this page.';
const alreadyOpened = [
  'This page works only once. The URL of the authorization page is in the terminal.',
  "If you haven't opened this page before, another program has: press Ctrl-C in the terminal, and sign in again.",
];
const stillWaiting = 'boh is still waiting for the response to the page that it opened.';
const afterFailure = 'See the terminal for what to do next. You can close this page.';

function parseResponse(query: URLSearchParams, expected: ExpectedResponse): string | Failure {
  try {
    return parseCallback(query, expected);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/**
 * Returns the requested URL; undefined if the Host header names another machine, as in a DNS rebinding attack.
 */
function requestedUrl({ headers: { host }, url }: IncomingMessage): URL | undefined {
  const fullUrl = `http://${host}${url}`;
  if (host === undefined || !/^[\w.:[\]-]+$/.test(host) || !url?.startsWith('/') || !URL.canParse(fullUrl))
    return undefined;
  const parsed = new URL(fullUrl);
  return isLoopback(parsed.hostname) ? parsed : undefined;
}

/**
 * Returns whether the browser requests the URL as part of a page, such as an image, a script or a frame. The user
 * doesn't see these requests, so another site could use them to inject a code or to end the wait.
 */
function isEmbedded({ headers }: IncomingMessage): boolean {
  return (headers['sec-fetch-dest'] ?? 'document') !== 'document';
}

function respond(response: ServerResponse, status: number, title: string, ...paragraphs: string[]): void {
  if (status === 405) response.setHeader('allow', 'GET');
  response.writeHead(status, pageHeaders).end(callbackPage(title, ...paragraphs));
}

/** Ends the wait at the signal or the deadline, whichever comes first. */
function watchSignals(
  { signal, deadline = AbortSignal.timeout(codeLifetimeMs) }: ListenOptions,
  finish: (failure: Failure) => void,
) {
  const onAbort = (): void => {
    const reason: unknown = signal?.reason;
    finish(reason instanceof Failure ? reason : new Failure('interrupted', 'Sign-in was interrupted.'));
  };
  const onDeadline = (): void => {
    finish(
      new Failure('not_signed_in', 'Sign-in timed out: nothing was approved within ten minutes.', {
        hint: boh.hint`If the browser runs on another machine, add --no-browser. To sign in again: ${boh.profile('auth login')}`,
      }),
    );
  };
  const unwatch = (): void => {
    signal?.removeEventListener('abort', onAbort);
    deadline.removeEventListener('abort', onDeadline);
  };
  signal?.addEventListener('abort', onAbort);
  deadline.addEventListener('abort', onDeadline);
  if (signal?.aborted) onAbort();
  else if (deadline.aborted) onDeadline();
  return unwatch;
}

/** HTTP servers that only this machine can reach. */
interface LoopbackServers {
  port: number;
  /** Stops the servers and closes all connections. */
  close(): Promise<void>;
}

/**
 * Starts the servers. "localhost" needs one on IPv4 and one on IPv6. `hostname` is spelled as in `URL`. Port 0 means a
 * free port. Throws a usage failure if the port is in use.
 */
async function listenOnLoopback(
  hostname: string,
  port: number,
  serve: RequestListener,
): Promise<LoopbackServers> {
  const hosts = hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/g, '')];
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    const close = async (): Promise<void> => {
      await Promise.all(servers.map(closeServer));
    };
    try {
      for (const host of hosts) {
        const server = await startServer(host, servers[0] === undefined ? port : portOf(servers[0]), serve);
        if (server !== undefined) servers.push(server);
      }
      if (servers[0] === undefined) throw usage(`This machine has no network address ${hostname}.`);
      return { port: portOf(servers[0]), close };
    } catch (error) {
      await close();
      // A port that is free on IPv4 may be in use on IPv6. Another port may be free on both.
      if (port !== 0 || attempt === maxPortAttempts) throw toFailure(error, port);
    }
  }
}

const maxPortAttempts = 5;

/** Starts a server. Returns undefined if the machine doesn't have the IP address, for example without IPv6. */
function startServer(host: string, port: number, serve: RequestListener): Promise<Server | undefined> {
  const server = createServer(serve);
  const { promise, resolve, reject } = Promise.withResolvers<Server | undefined>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(undefined);
    else reject(error);
  });
  server.listen({ host, port }, () => resolve(server));
  return promise;
}

function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function toFailure(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return usage(`Port ${port} is in use by another program, so the browser can't return to boh.`, {
      hint: 'Stop that program, or sign in with --no-browser. If the service allows any port: --port 0',
    });
  }
  if (code === 'EACCES') {
    return usage(`You have no permission to listen on port ${port} of this machine.`, {
      hint: 'Sign in with --no-browser, or register a redirect URI with a port above 1023.',
    });
  }
  return error;
}

const style = `
:root {
  color-scheme: light dark;
${palette}
  font: 1.0625rem/1.5 system-ui, sans-serif;
}
body {
  margin: 0; min-height: 100dvh; display: grid; place-items: center;
  background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
}
main {
  box-sizing: border-box; width: min(34rem, 100%); padding: 1.75rem 1.5rem .75rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem;
}
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; font-weight: 700; text-wrap: balance; }
p { margin: 0 0 1rem; }
footer { color: var(--faint); font-size: .9375rem; border-top: 1px solid var(--line); padding: .75rem 0 0; }
footer b { color: var(--ink); letter-spacing: .02em; }
@media (max-width: 36rem) { main { border-radius: 0; border-width: 1px 0; padding: 1.25rem 1rem .75rem; } }
`;

/** The content security policy: allows no loading and no scripts, and only the style sheet with this hash. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  // The empty icon keeps the browser from requesting one.
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of the page. Its URL contains a code, so it must not be cached, sent as a referrer or framed. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** Returns the page after the redirect. The title and the paragraphs may contain text from the service, so they are escaped. */
function callbackPage(title: string, ...paragraphs: string[]): string {
  const body = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – boh</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
<footer><p><b>boh</b> · sign-in on this machine</p></footer>
</main>
</body>
</html>
`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
