/** Signs in with the authorization code flow: opens the approval page and returns a token. */

import { addAbortSignal, type Readable } from 'node:stream';
import {
  type AuthorizationRequest,
  buildAuthorizationUrl,
  challengeFor,
  createState,
  createVerifier,
} from '../../../account/auth/authorization-url.ts';
import {
  type ExpectedPastedResponse,
  ForeignResponse,
  parsePastedResponse,
} from '../../../account/auth/callback.ts';
import { exchangeCode, type Post } from '../../../account/auth/exchange.ts';
import { canListen, listenForCode } from '../../../account/auth/loopback-listener.ts';
import {
  maxMetadataBytes,
  metadataUrl,
  parseServerMetadata,
  type ServerMetadata,
} from '../../../account/auth/server-metadata.ts';
import { networkTransport } from '../../../account/client/network.ts';
import { plainRequest } from '../../../account/client/request.ts';
import { TransportError } from '../../../account/client/transport.ts';
import { failedSignInProfile, openSignInAnswers } from '../../../account/settings/caches.ts';
import { addProfile, type Config } from '../../../account/settings/config.ts';
import { parseToken, type Secret } from '../../../account/settings/secret.ts';
import type { Settings } from '../../../account/settings/settings.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { openInBrowser } from '../../../base/open-in-browser.ts';
import { userAgent } from '../../../base/version.ts';
import type { Context } from '../../context/context.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { note, report } from '../../terminal/messages.ts';
import type { Streams } from '../../terminal/streams.ts';

/** The registered app and the OAuth URLs of the service. */
export interface App extends Omit<AuthorizationRequest, 'state' | 'challenge'> {
  tokenUrl: string;
  clientSecret: Secret;
  oauth: Settings['oauth'];
  timeoutMs: number;
}

/** Signs in and returns the token. Throws `not_signed_in` if the user denies access or the response isn't for this request. */
export async function signIn(app: App, options: ApprovalOptions, context: Context): Promise<Secret> {
  const verifier = app.oauth.pkce ? createVerifier() : undefined;
  const challenge = verifier && challengeFor(verifier);
  const { code, redirectUri } = await askForApproval({ ...app, challenge }, options, context);
  note(context.streams, 'Authorized. Exchanging the code for a token.');
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
  return parseToken(token);
}

/** The maximum time to wait for published URLs, in milliseconds. */
const maxMetadataWaitMs = 5_000;

/** Returns the URLs that the service publishes for signing in; an empty object if it publishes none. */
export async function readServerMetadata(
  { baseUrl = '', timeoutMs }: Pick<Settings, 'baseUrl' | 'timeoutMs'>,
  { env, globals, signal, streams }: Context,
): Promise<ServerMetadata> {
  const { origin, pathname: target } = metadataUrl(baseUrl);
  const limits = { timeoutMs: Math.min(timeoutMs, maxMetadataWaitMs), maxResponseBytes: maxMetadataBytes };
  try {
    const request = plainRequest({ method: 'GET', target }, { userAgent: userAgent() });
    const { status, body } = await networkTransport({ baseUrl: origin, env, ...limits })(request, signal);
    if (globals.verbose) note(streams, `GET ${target}: ${status}`);
    return status === 200 ? parseServerMetadata(body, baseUrl) : {};
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TransportError) return {};
    throw error;
  }
}

/** Returns a function that posts with the client's transport, and so with its proxies, certificates and limits. */
function postOverNetwork(timeoutMs: number, { env, globals, signal, streams }: Context): Post {
  return async (url, { headers: requestHeaders, body, maxResponseBytes }) => {
    const send = networkTransport({ baseUrl: url.origin, timeoutMs, env, maxResponseBytes });
    const headers = { ...requestHeaders, 'user-agent': userAgent() };
    const request = { method: 'POST', path: url.pathname };
    try {
      const start = performance.now();
      const response = await send(
        { method: 'POST', target: url.pathname + url.search, headers, body },
        signal,
      );
      const ms = Math.round(performance.now() - start);
      if (globals.verbose) note(streams, `POST ${url.pathname}: ${response.status} in ${ms} ms`);
      return { status: response.status, text: response.body };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      signal.throwIfAborted();
      throw new Failure('unavailable', error.message, {
        request,
        hint:
          error.hint ??
          boh.hint`Check the network and the URL, then sign in again: ${boh.profile('auth login')}`,
        cause: error,
      });
    }
  };
}

/** Options for the authorization by the user. */
export interface ApprovalOptions {
  /** False if the browser doesn't run on this machine. */
  browser?: boolean;
  allowMissingState?: boolean | undefined;
}

/** The authorization code. */
export interface Approval {
  code: string;
  /** The redirect URI of the authorization URL. The token exchange repeats it. */
  redirectUri: string;
}

type Request = Omit<AuthorizationRequest, 'state'>;

/** Asks for approval in the browser, and returns the authorization code. Throws `interrupted` after Ctrl-C. */
function askForApproval(request: Request, options: ApprovalOptions, context: Context): Promise<Approval> {
  const canUseListener = options.browser !== false && canListen(request.redirectUri);
  return canUseListener
    ? approveThroughListener(request, options, context)
    : approveThroughPaste(request, options, context);
}

const noBrowser =
  'No browser could be started. Open the URL above. If your browser runs on another machine, sign in with --no-browser.';

async function approveThroughListener(
  request: Request,
  { allowMissingState = false }: ApprovalOptions,
  context: Context,
): Promise<Approval> {
  const { streams, signal } = context;
  const state = createState();
  const options = { redirectUri: request.redirectUri, state, allowMissingState, signal };
  const listener = await listenForCode(options);
  const { redirectUri } = listener;
  const browserFailure = new AbortController();
  try {
    const authorizationUrl = buildAuthorizationUrl({ ...request, state, redirectUri });
    report(streams, "To authorize boh, open this page if your browser doesn't open by itself:");
    report(streams, authorizationUrl);
    await openInBrowser(listener.redirectOnce(authorizationUrl), () => {
      note(streams, noBrowser);
      browserFailure.abort();
    });
    note(streams, 'Waiting for authorization in the browser. Press Ctrl-C to cancel.');
    const expected = { state, allowMissingState, redirectUri };
    return { code: await waitForCode(listener.code, expected, browserFailure.signal, context), redirectUri };
  } finally {
    await listener.close();
  }
}

/**
 * Waits for the code of the listener and, on a terminal, for a pasted response: the first one counts. The failure of the
 * browser interrupts the question, because its note isn't written below one.
 */
async function waitForCode(
  code: Promise<string>,
  expected: ExpectedPastedResponse,
  browserFailure: AbortSignal,
  { streams }: Context,
): Promise<string> {
  if (!streams.interactive) return code;
  const callback = new AbortController();
  code.catch(() => undefined).finally(() => callback.abort());
  for (const signals of [[callback.signal, browserFailure], [callback.signal]]) {
    try {
      const message = 'Or paste the URL that you are redirected to:';
      return await askForCode(streams, expected, message, AbortSignal.any(signals));
    } catch (error) {
      if (!signals.some(({ reason }) => reason === error)) throw error;
    }
  }
  return code;
}

async function approveThroughPaste(
  request: Request,
  { allowMissingState = false }: ApprovalOptions,
  context: Context,
): Promise<Approval> {
  const { redirectUri } = request;
  if (new URL(redirectUri).port === '0') {
    throw usage('Pasting the redirect URL needs a fixed port.', { hint: 'Add --port 8714.' });
  }
  const state = createState();
  for (const line of [
    'To authorize boh, open this page in a browser:',
    buildAuthorizationUrl({ ...request, state }),
    'Then copy the URL of the page that you are redirected to, even if it shows an error.',
  ]) {
    report(context.streams, line);
  }
  return { code: await readPastedCode({ state, allowMissingState, redirectUri }, context), redirectUri };
}

/** Reads the redirect URL that the user pastes, from a prompt or from the first line of standard input. */
async function readPastedCode(
  expected: ExpectedPastedResponse,
  { streams, signal }: Context,
): Promise<string> {
  if (streams.interactive) return askForCode(streams, expected, 'Paste the URL here:');
  if (streams.isTerminal.in) {
    throw usage("boh needs the redirect URL, but can't prompt for it: CI is set or --no-input was given.", {
      hint: boh.hint`Pass the URL on standard input, or store a token: ${boh.profile('auth login', '--with-token')}`,
    });
  }
  return parsePastedResponse(await firstLine(addAbortSignal(signal, streams.stdin)), expected);
}

/** Asks for the redirect URL or the code until it belongs to this sign-in. The code doesn't stay on the screen. */
async function askForCode(
  streams: Streams,
  expected: ExpectedPastedResponse,
  message: string,
  signal?: AbortSignal,
): Promise<string> {
  const parse = (text: string) => parsePastedResponse(text, expected);
  const question = { message, signal, validate: validateWith(parse) };
  const prompts = await promptsFor(streams);
  return parse(await prompts.ask({ ...question, clearsWhenRefused: true, clearsWhenDone: true }));
}

/** The maximum length of a pasted URL in characters. Real URLs are shorter. */
const maxUrlCharacters = 65_536;

async function firstLine(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text = (text + chunk).trimStart();
    if (/[\r\n]/.test(text) || text.length > maxUrlCharacters) break;
  }
  return text.split(/[\r\n]/, 1)[0] ?? '';
}

/** Asks for the name of a new profile if the active one is for another service than the base URL. */
export async function askProfileName(
  config: Config,
  baseUrl: string | undefined,
  { streams, env }: Context,
): Promise<string> {
  const message = `Profile ${config.active} is for another service. Name of the new profile:`;
  const validate = validateWith((answer) => addProfile(config, answer.trim()));
  const initial = failedSignInProfile(env, baseUrl) ?? '';
  return (await (await promptsFor(streams)).ask({ message, validate, initial })).trim();
}

/** Asks how to sign in. The default is an app if an earlier attempt used one. */
export async function askHowToSignIn(profile: string, { streams, env }: Context): Promise<'token' | 'app'> {
  const { client_id: clientId, authorize_url: authorizeUrl } = openSignInAnswers(env, profile).get();
  return (await promptsFor(streams)).choose({
    message: 'How do you sign in?',
    choices: [
      { value: 'token', label: 'Paste a token, for example from an email' },
      { value: 'app', label: 'With an app, in the browser (client ID and secret)' },
    ],
    initial: (clientId ?? authorizeUrl) === undefined ? 'token' : 'app',
  });
}

/**
 * Returns a validation of answers with a parser. It ignores failures that another answer can't prevent, such as a denial.
 */
export function validateWith(parse: (answer: string) => unknown): (answer: string) => string | undefined {
  return (answer) => {
    try {
      parse(answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const needsOtherAnswer = error.category === 'usage' || error instanceof ForeignResponse;
      return needsOtherAnswer ? error.message : undefined;
    }
  };
}
