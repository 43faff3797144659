/** What people and programs see of a served sandbox's OAuth server: `/authorize`, and where everything is. */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type Scope, scopeNames } from '../../contract/scope.ts';
import type { Page } from '../server/page.ts';
import type { Sandbox } from '../service.ts';
import { isObject, readFact } from '../store/facts.ts';
import { demoClient, isOwnRedirect } from './clients.ts';
import { type Approval, makeCode } from './codes.ts';
import { consentPage, problemPage } from './pages.ts';
import { challengeIn, challengeMethods } from './pkce.ts';

export interface OAuthOptions {
  /** Approve whatever is asked without showing the page, for runs without a person. */
  isApproving?: boolean;
  /** The document alone: no PKCE, no metadata. */
  isStrict?: boolean;
}

/** In bytes: the answer is two short fields. */
const longestForm = 4096;

/** Where a person approves. The exchange of codes is answered beside the API, see `exchange.ts`. */
export function authorizeRoutes(
  sandbox: Sandbox,
  { isApproving = false, isStrict = false }: OAuthOptions = {},
): Hono {
  const consents = new Consents();
  const app = new Hono();

  if (!isStrict) {
    app.get(metadataPath, (context) => context.json(serverMetadata(new URL(context.req.url).origin)));
  }

  app.get('/authorize', async (context) => {
    const judged = judge(new URL(context.req.url).searchParams, isStrict);
    if (judged.kind === 'stop')
      return show(context, problemPage('This can’t be approved', judged.reason), 400);
    if (judged.kind === 'back') return context.redirect(judged.address, 302);
    if (isApproving) return context.redirect(await approve(sandbox, judged), 302);
    return show(context, ask(sandbox, consents, judged));
  });

  app.post('/authorize', bodyLimit({ maxSize: longestForm, onError: refuseForm }), async (context) => {
    // Browsers say whose form it is. The number in it is what counts: only the page that was shown has it.
    const site = context.req.header('sec-fetch-site') ?? 'same-origin';
    const form = new URLSearchParams(await context.req.text());
    const question = site === 'same-origin' ? consents.take(form.get('consent') ?? '') : undefined;
    if (!question) {
      const reason = 'This question was answered before, or it is not one that the sandbox asked.';
      return show(context, problemPage('There is nothing to approve', reason), 403);
    }
    const isApproved = form.get('decision') === 'approve';
    const address = isApproved
      ? await approve(sandbox, question)
      : deniedAddress(question.approval, question.state);
    return context.redirect(address, 303);
  });

  return app;
}

function refuseForm(context: Context): Response | Promise<Response> {
  return show(context, problemPage('This can’t be approved', 'The answer is too long to be one.'), 413);
}

function ask(sandbox: Sandbox, consents: Consents, question: Question): Page {
  const { scopes, redirectUri }: Approval = question.approval;
  const owner = sandbox.database.get('SELECT name FROM users WHERE is_owner = 1');
  const business = readFact(sandbox.database, 'business', isObject);
  return consentPage({
    number: consents.ask(question),
    clientName: demoClient.name,
    businessName: String(business?.name ?? 'the sandbox'),
    userName: String(owner?.name),
    scopes,
    redirectUri,
  });
}

async function approve(sandbox: Sandbox, { approval, state }: Question): Promise<string> {
  const { database, clock } = sandbox;
  const work = () => database.write(() => makeCode(database, approval, clock.now()));
  const code = await sandbox.whenFree(work);
  return approvedAddress(approval, code, state);
}

function show(
  context: Context,
  { body, headers }: Page,
  status: 200 | 400 | 403 | 413 = 200,
): Response | Promise<Response> {
  return context.html(body, status, headers);
}

/** What an OAuth client asks first: where to go and what is taken (RFC 8414). */
const metadataPath = '/.well-known/oauth-authorization-server';

/** `issuer` is the address of the server, without a slash at its end. */
function serverMetadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    scopes_supported: scopeNames,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: challengeMethods,
  };
}

/** Questions that are open on somebody's screen, each known by a number that nobody else can guess. */
interface Question {
  approval: Approval;
  state: string;
}

/** Older ones are forgotten, so that asking over and over fills no memory. */
const mostOpen = 1000;

class Consents {
  readonly #open = new Map<string, Question>();

  /**
   * The number stands in the form. An answer that another site sends in the person's name can't have it, nor can
   * it change what was asked.
   */
  ask(question: Question): string {
    const number = randomBytes(32).toString('base64url');
    this.#open.set(number, question);
    const [oldest] = this.#open.keys();
    if (this.#open.size > mostOpen && oldest !== undefined) this.#open.delete(oldest);
    return number;
  }

  /** Each question is answered once. */
  take(number: string): Question | undefined {
    const question = this.#open.get(number);
    this.#open.delete(number);
    return question;
  }
}

/**
 * `ask` the person. `stop` shows a page and sends nobody anywhere: whoever made the address is not to be trusted.
 * `back` tells the application what is wrong with its request.
 */
type Judged =
  | { kind: 'ask'; approval: Approval; state: string }
  | { kind: 'stop'; reason: string }
  | { kind: 'back'; address: string };

/**
 * The document does not show this request ("Authentication", 7): it is that of OAuth 2.0 (RFC 6749, 4.1.1), of which
 * deployments need no more than `client_id` and `state`. Without `scope`, all that the application may ask for.
 * Unless it is to be strict, PKCE does for a state, and commas between scopes are taken.
 */
function judge(query: URLSearchParams, isStrict: boolean): Judged {
  const repeated = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) return stop(`The address has ${repeated} more than once.`);
  const clientId = query.get('client_id') ?? '';
  if (clientId === '') return stop('The address lacks client_id, which says what application asks.');
  if (clientId !== demoClient.id) return stop(`No application has the id “${clientId}”.`);
  const redirectUri = query.get('redirect_uri') ?? '';
  if (redirectUri === '') return stop('The address lacks redirect_uri, which says where to go afterwards.');
  if (!isOwnRedirect(redirectUri)) {
    return stop(`${redirectUri} is not an address of this machine, such as http://127.0.0.1:8000/callback.`);
  }
  const state = query.get('state') ?? '';
  const back = (error: string, description: string): Judged => ({
    kind: 'back',
    address: addressWith(redirectUri, { error, error_description: description, state }),
  });
  const challenge = isStrict ? undefined : challengeIn(query);
  if (typeof challenge === 'string') return back('invalid_request', challenge);
  if (state === '' && challenge === undefined) return back('invalid_request', 'The request lacks state.');
  const responseType = query.get('response_type') ?? 'code';
  if (responseType !== 'code') return back('unsupported_response_type', 'The response_type must be code.');
  const asked = (query.get('scope') ?? '').split(isStrict ? ' ' : /[ ,]/).filter((name) => name !== '');
  const unknown = asked.filter((name) => !isScope(name));
  if (unknown.length > 0) return back('invalid_scope', `There is no scope ${unknown.join(', ')}.`);
  const scopes = asked.length === 0 ? scopeNames : scopeNames.filter((name) => asked.includes(name));
  return { kind: 'ask', approval: { clientId, redirectUri, scopes, challenge }, state };
}

/** Where the person goes after approving. */
function approvedAddress({ redirectUri }: Approval, code: string, state: string): string {
  return addressWith(redirectUri, { code, state });
}

/** Where the person goes after denying. */
function deniedAddress({ redirectUri }: Approval, state: string): string {
  return addressWith(redirectUri, { error: 'access_denied', state });
}

/** What the address holds already is kept. */
function addressWith(redirectUri: string, parameters: Record<string, string>): string {
  const address = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') address.searchParams.set(name, value);
  }
  return address.href;
}

function stop(reason: string): Judged {
  return { kind: 'stop', reason };
}

function isScope(name: string): name is Scope {
  return (scopeNames as string[]).includes(name);
}
