/** Signs in by the authorization code flow: from the approval page to a token. */

import { addAbortSignal, type Readable } from 'node:stream';
import {
  type AuthorizeRequest,
  authorizeAddress,
  challengeFor,
  newState,
  newVerifier,
} from '../auth/authorize-address.ts';
import { type PasteExpected, readPasted } from '../auth/callback.ts';
import { redirectPage } from '../auth/callback-page.ts';
import { exchangeCode, type Post } from '../auth/exchange.ts';
import { canListen, listenForCode } from '../auth/loopback-listener.ts';
import { hidingSecrets } from '../base/child-process.ts';
import { Failure, usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { userAgent } from '../base/version.ts';
import { networkTransport } from '../client/network.ts';
import { TransportError } from '../client/transport.ts';
import type { Context } from '../context/context.ts';
import { readToken, type Secret } from '../settings/secret.ts';
import type { Settings } from '../settings/settings.ts';
import { temporaryFile } from '../settings/temporary-file.ts';
import { note, tell } from '../terminal/messages.ts';
import { problemIn } from './sign-in-questions.ts';
import { ask } from './terminal/prompts.ts';

/** The registered app and the addresses of the service. */
export interface App extends Omit<AuthorizeRequest, 'state' | 'challenge'> {
  tokenUrl: string;
  clientSecret: Secret;
  oauth: Settings['oauth'];
  timeoutMs: number;
}

/** Signs in and returns the token. Throws `not_signed_in` if the person denies it or the response isn't for this request. */
export async function signIn(app: App, way: Way, context: Context): Promise<Secret> {
  const verifier = app.oauth.pkce ? newVerifier() : undefined;
  const challenge = verifier && challengeFor(verifier);
  const { code, redirectUri } = await askForApproval({ ...app, challenge }, way, context);
  note(context.streams, 'Approved. Exchanging the code for a token.');
  const token = await exchangeCode({
    tokenUrl: app.tokenUrl,
    code,
    clientId: app.clientId,
    clientSecret: app.clientSecret.reveal(),
    redirectUri,
    verifier,
    style: app.oauth,
    post: postOverNetwork(app.timeoutMs, context),
  });
  return readToken(token);
}

/** Posts with the client's transport: its proxies, certificates and limits. */
function postOverNetwork(timeoutMs: number, { env, globals, signal, streams }: Context): Post {
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
        hint:
          error.hint ??
          boh.hint`Check the network and the address, then sign in again: ${boh.profile('auth login')}`,
        cause: error,
      });
    }
  };
}

/** How the person approves. */
export interface Way {
  /** False if the browser runs on another machine. */
  browser: boolean;
  allowMissingState?: boolean | undefined;
}

/** The result of the approval. */
export interface Approval {
  code: string;
  /** As in the authorization URL: the token exchange repeats it. */
  redirectUri: string;
}

type Request = Omit<AuthorizeRequest, 'state'>;

/** Asks for approval in the browser, and returns the code. Throws `interrupted` after Ctrl-C. */
function askForApproval(request: Request, way: Way, context: Context): Promise<Approval> {
  const isHere = way.browser && canListen(request.redirectUri);
  return isHere ? throughListener(request, way, context) : throughPaste(request, way, context);
}

async function throughListener(
  request: Request,
  { allowMissingState = false }: Way,
  context: Context,
): Promise<Approval> {
  const { streams, signal } = context;
  const state = newState();
  const { redirectUri } = request;
  const listener = await listenForCode({ redirectUri, state, allowMissingState, signal });
  let tidyUp: (() => Promise<void>) | undefined;
  try {
    const address = authorizeAddress({ ...request, state, redirectUri: listener.redirectUri });
    tell(streams, 'To approve boh, open this page if your browser does not do so by itself:');
    tell(streams, address);
    tidyUp = await openBrowser(address, () => {
      note(streams, 'The browser did not start: open the address above yourself.');
    });
    note(streams, 'Waiting for your answer there. Ctrl-C ends this.');
    return { code: await listener.code, redirectUri: listener.redirectUri };
  } finally {
    await listener.close();
    await tidyUp?.();
  }
}

async function throughPaste(
  request: Request,
  { allowMissingState = false }: Way,
  context: Context,
): Promise<Approval> {
  const { redirectUri } = request;
  if (new URL(redirectUri).port === '0') {
    throw usage('An address that is pasted needs a fixed port.', { hint: 'Name it: --port 8714.' });
  }
  const state = newState();
  for (const line of [
    'To approve boh, open this page in a browser:',
    authorizeAddress({ ...request, state }),
    'Then copy the address that the browser ends up on, even if that page shows an error.',
  ]) {
    tell(context.streams, line);
  }
  return { code: await readPastedCode({ state, allowMissingState, redirectUri }, context), redirectUri };
}

/**
 * Opens the browser with a file that redirects to the address. Returns what removes the file, which the browser has read
 * by the time the code arrives. Calls `onFailure` at most once if no browser starts.
 */
async function openBrowser(address: string, onFailure: () => void): Promise<() => Promise<void>> {
  const file = await temporaryFile('sign-in', 'approve-boh.html', redirectPage(address));
  try {
    const { default: open } = await import('open');
    const launcher = await hidingSecrets(() => open(file.path));
    launcher.once('exit', (code) => {
      if (code) onFailure();
    });
  } catch {
    onFailure();
  }
  return file.remove;
}

/** Reads the address that the person pastes: asked for on a terminal, else the first line of standard input. */
async function readPastedCode(expected: PasteExpected, { streams, signal }: Context): Promise<string> {
  const read = (text: string) => readPasted(text, expected);
  if (streams.interactive) {
    return read(await ask(streams, { message: 'Paste it here:', validate: problemIn(read) }));
  }
  if (streams.isTerminal.in) {
    throw usage('The address is to be pasted, and nobody may be asked: CI is set, or --no-input was given.', {
      hint: boh.hint`Give it on standard input, or store a token: ${boh.profile('auth login', '--with-token')}`,
    });
  }
  return read(await firstLine(addAbortSignal(signal, streams.stdin)));
}

/** Longer than any address. */
const maxAddressLength = 65_536;

async function firstLine(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text = (text + chunk).trimStart();
    if (/[\r\n]/.test(text) || text.length > maxAddressLength) break;
  }
  return text.split(/[\r\n]/, 1)[0] ?? '';
}
