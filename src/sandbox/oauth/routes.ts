/** Defines the OAuth server's routes for browsers and clients: `/authorize` and the metadata. */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html, raw } from 'hono/html';
import { type Scope, scopes as scopeDescriptions, scopeNames } from '../../api/contract/scope.ts';
import { palette } from '../../base/palette.ts';
import { type HtmlPage, htmlPage } from '../server/page.ts';
import type { Sandbox } from '../service.ts';
import { isObject, readStoredValue } from '../store/rows.ts';
import { demoClient, isLocalRedirect } from './clients.ts';
import { type Approval, challengeMethods, createCode, parseChallenge } from './codes.ts';

export interface OAuthOptions {
  /** Whether every request is approved without showing the consent page, for automated runs. */
  isAutoApproved?: boolean;
  /** Whether only requests in the format of the API document are accepted, without PKCE and metadata. */
  isStrict?: boolean;
  /** The registered redirect URI. Without one, every local URL is allowed. */
  redirectUri?: string | undefined;
}

/** The maximum size of the consent form, in bytes. It has two short fields. */
const maxFormBytes = 4096;

/** Returns the routes for approving authorization requests. `exchange.ts` exchanges the codes. */
export function authorizeRoutes(
  sandbox: Sandbox,
  { isAutoApproved = false, isStrict = false, redirectUri }: OAuthOptions = {},
): Hono {
  const consents = new PendingConsents();
  const app = new Hono();

  if (!isStrict) {
    app.get(metadataPath, (context) => context.json(serverMetadata(new URL(context.req.url).origin)));
  }

  app.get('/authorize', async (context) => {
    const canOmitUri = redirectUri !== undefined && sandbox.variant()['wire.requests'] === 'lenient';
    const query = new URL(context.req.url).searchParams;
    if (canOmitUri && !query.has('redirect_uri')) query.set('redirect_uri', redirectUri);
    const result = validateRequest(query, isStrict, redirectUri);
    if (result.kind === 'error')
      return respondWithPage(context, errorPage('Invalid authorization request', result.reason), 400);
    if (result.kind === 'redirect') return context.redirect(result.url, 302);
    if (isAutoApproved) return context.redirect(await approve(sandbox, result), 302);
    return respondWithPage(context, consentPageFor(sandbox, consents, result));
  });

  app.post('/authorize', bodyLimit({ maxSize: maxFormBytes, onError: refuseForm }), async (context) => {
    // Browsers send the site of a form in this header. The actual protection is the random ID in the form, which only
    // the consent page contains.
    const site = context.req.header('sec-fetch-site') ?? 'same-origin';
    const form = new URLSearchParams(await context.req.text());
    const request = site === 'same-origin' ? consents.take(form.get('consent') ?? '') : undefined;
    if (!request) {
      const reason = "This request was already answered, or it isn't from this sandbox.";
      return respondWithPage(context, errorPage('Unknown authorization request', reason), 403);
    }
    const isApproved = form.get('decision') === 'approve';
    const url = isApproved ? await approve(sandbox, request) : denialUrl(request.approval, request.state);
    return context.redirect(url, 303);
  });

  return app;
}

function refuseForm(context: Context): Response | Promise<Response> {
  return respondWithPage(context, errorPage('Invalid authorization request', 'The form is too long.'), 413);
}

function consentPageFor(sandbox: Sandbox, consents: PendingConsents, request: ConsentRequest): HtmlPage {
  const { scopes, redirectUri }: Approval = request.approval;
  const owner = sandbox.database.get('SELECT name FROM users WHERE is_owner = 1');
  const business = readStoredValue(sandbox.database, 'business', isObject);
  return consentPage({
    consentId: consents.add(request),
    clientName: demoClient.name,
    businessName: String(business?.name ?? 'the sandbox'),
    userName: String(owner?.name),
    scopes,
    redirectUri,
  });
}

async function approve(sandbox: Sandbox, { approval, state }: ConsentRequest): Promise<string> {
  const { database, clock } = sandbox;
  const work = () => database.write(() => createCode(database, approval, clock.now()));
  const code = await sandbox.whenUnlocked(work);
  return approvalUrl(approval, code, state);
}

function respondWithPage(
  context: Context,
  { body, headers }: HtmlPage,
  status: 200 | 400 | 403 | 413 = 200,
): Response | Promise<Response> {
  return context.html(body, status, headers);
}

/** The path of the OAuth server's metadata (RFC 8414). */
const metadataPath = '/.well-known/oauth-authorization-server';

/** Returns the metadata. `issuer` is the URL of the server, without a trailing slash. */
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

/** A request that waits for the user's decision. It is identified by a random ID. */
interface ConsentRequest {
  approval: Approval;
  state: string;
}

/** The maximum number of pending requests. Above it, the oldest is deleted, to limit the memory. */
const maxPendingConsents = 1000;

class PendingConsents {
  readonly #requests = new Map<string, ConsentRequest>();

  /**
   * Adds a request and returns a random ID for the form. Another site that sends a form in the user's name doesn't know
   * the ID.
   */
  add(request: ConsentRequest): string {
    const id = randomBytes(32).toString('base64url');
    this.#requests.set(id, request);
    const [oldestId] = this.#requests.keys();
    if (this.#requests.size > maxPendingConsents && oldestId !== undefined) this.#requests.delete(oldestId);
    return id;
  }

  /** Removes and returns the request with an ID. */
  take(id: string): ConsentRequest | undefined {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    return request;
  }
}

/**
 * The result of the validation. `consent` shows the consent page. `error` shows an error page, because the redirect URI
 * can't be trusted. `redirect` redirects to the application with an error.
 */
type ValidationResult =
  | { kind: 'consent'; approval: Approval; state: string }
  | { kind: 'error'; reason: string }
  | { kind: 'redirect'; url: string };

/**
 * Validates an authorization request. The API document doesn't describe this request ("Authentication", 7); the
 * sandbox accepts that of OAuth 2.0 (RFC 6749, 4.1.1). Deployments require only `client_id` and `state`. Without `scope`,
 * all scopes are requested. Unless the sandbox is strict, PKCE replaces the state, and commas can separate scopes.
 */
function validateRequest(
  query: URLSearchParams,
  isStrict: boolean,
  registeredUri: string | undefined,
): ValidationResult {
  const repeatedName = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (repeatedName !== undefined) return pageError(`The URL has ${repeatedName} more than once.`);
  const clientId = query.get('client_id') ?? '';
  if (clientId === '') return pageError('The URL has no client_id.');
  if (clientId !== demoClient.id) return pageError(`No application has the ID "${clientId}".`);
  const redirectUri = query.get('redirect_uri') ?? '';
  if (redirectUri === '') return pageError('The URL has no redirect_uri.');
  if (registeredUri !== undefined && redirectUri !== registeredUri)
    return pageError(`The redirect_uri ${redirectUri} is not the registered one, ${registeredUri}.`);
  if (registeredUri === undefined && !isLocalRedirect(redirectUri)) {
    return pageError(
      `The redirect_uri ${redirectUri} is not an http URL of this machine, such as http://127.0.0.1:8000/callback.`,
    );
  }
  const state = query.get('state') ?? '';
  const redirectError = (error: string, description: string): ValidationResult => ({
    kind: 'redirect',
    url: withParameters(redirectUri, { error, error_description: description, state }),
  });
  const challenge = isStrict ? undefined : parseChallenge(query);
  if (typeof challenge === 'string') return redirectError('invalid_request', challenge);
  if (state === '' && challenge === undefined)
    return redirectError('invalid_request', 'The request has no state.');
  const responseType = query.get('response_type') ?? 'code';
  if (responseType !== 'code')
    return redirectError('unsupported_response_type', 'The response_type must be code.');
  const requestedNames = (query.get('scope') ?? '')
    .split(isStrict ? ' ' : /[ ,]/)
    .filter((name) => name !== '');
  const unknownNames = requestedNames.filter((name) => !isScope(name));
  if (unknownNames.length > 0)
    return redirectError('invalid_scope', `Unknown scope ${unknownNames.join(', ')}.`);
  const scopes =
    requestedNames.length === 0 ? scopeNames : scopeNames.filter((name) => requestedNames.includes(name));
  return { kind: 'consent', approval: { clientId, redirectUri, scopes, challenge }, state };
}

function approvalUrl({ redirectUri }: Approval, code: string, state: string): string {
  return withParameters(redirectUri, { code, state });
}

function denialUrl({ redirectUri }: Approval, state: string): string {
  return withParameters(redirectUri, { error: 'access_denied', state });
}

/** Adds parameters to a redirect URI, except empty ones. Its existing parameters are kept. */
function withParameters(redirectUri: string, parameters: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') url.searchParams.set(name, value);
  }
  return url.href;
}

function pageError(reason: string): ValidationResult {
  return { kind: 'error', reason };
}

function isScope(name: string): name is Scope {
  return (scopeNames as string[]).includes(name);
}

/** The data of the consent page. */
interface ConsentDetails {
  /** The ID of the pending request, which the form sends back. */
  consentId: string;
  clientName: string;
  businessName: string;
  userName: string;
  scopes: readonly Scope[];
  redirectUri: string;
}

/** Returns the page that asks the user to approve. */
function consentPage(details: ConsentDetails): HtmlPage {
  const { consentId, clientName, businessName, userName, scopes, redirectUri } = details;
  const { host, origin, protocol } = new URL(redirectUri);
  return page(
    `Connect ${clientName} to ${businessName}`,
    // Browsers also apply this policy to the redirect after the form, which may lead to any port of this machine.
    `form-action 'self' ${protocol === 'https:' ? origin : 'http:'}`,
    html`
      <h1><strong>${clientName}</strong> requests access to <strong>${businessName}</strong></h1>
      <p>You are signed in as <strong>${userName}</strong>. If you approve, the application may:</p>
      <ul>${scopes.map((scope) => html`<li>${scopeDescriptions[scope]}<code>${scope}</code></li>`)}</ul>
      <form method="post" action="/authorize">
        <input type="hidden" name="consent" value="${consentId}">
        <p>Either way, you are then redirected to <strong>${host}</strong>.</p>
        <div class="buttons">
          <button name="decision" value="approve">Approve</button>
          <button name="decision" value="deny" class="secondary">Deny</button>
        </div>
      </form>`,
  );
}

function errorPage(title: string, reason: string): HtmlPage {
  return page(
    title,
    "form-action 'none'",
    html`
      <h1>${title}</h1>
      <p>${reason}</p>
      <p>Nothing was approved. You can close this page.</p>`,
  );
}

function page(title: string, formPolicy: string, content: ReturnType<typeof html>): HtmlPage {
  return htmlPage({
    title,
    style,
    policy: [formPolicy],
    body: html`<header><p>${raw(logo)} sandbox <span>test data on this machine</span></p></header>
      <main>${content}</main>`,
  });
}

/** The name of the project, in bold. */
const logo = '<b>boh</b>';

/** The styles of these pages: one column that fits a phone, light or dark by the system's setting. */
const style = `
:root {
  color-scheme: light dark;
${palette}
  --on-accent: light-dark(#ffffff, #10231c);
  font: 1.0625rem/1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100dvh; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
header, main { max-width: 34rem; margin: 0 auto; padding: 0 1rem; }
header p { margin: 0; padding: 1.25rem 0 .75rem; color: var(--faint); font-size: .9375rem; }
header b { color: var(--ink); letter-spacing: .02em; }
header span::before { content: "· "; }
main {
  padding: 1.75rem 1.5rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem; margin-bottom: 2rem;
}
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; font-weight: 500; text-wrap: balance; }
h1 strong { font-weight: 700; }
p { margin: 0 0 1rem; }
ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { padding: .625rem 0; border-bottom: 1px solid var(--line); }
li:last-child { border-bottom: 0; }
code { display: block; color: var(--faint); font: .8125rem/1.4 ui-monospace, monospace; }
/* Stays visible below a long list of scopes. */
form {
  position: sticky; bottom: 0; margin: 0 -1.5rem -1.75rem; padding: .75rem 1.5rem 1.25rem;
  background: var(--card); border-top: 1px solid var(--line); border-radius: 0 0 .75rem .75rem;
}
form p { margin-bottom: .75rem; color: var(--faint); font-size: .9375rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; }
button {
  flex: 1 1 10rem; min-height: 3rem; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .5rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer;
}
button.secondary { background: transparent; color: var(--ink); border-color: var(--faint); }
button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
@media (max-width: 36rem) {
  main { border-radius: 0; border-width: 1px 0; padding: 1.25rem 1rem; margin-bottom: 0; }
  form { margin: 0 -1rem -1.25rem; padding: .75rem 1rem 1rem; border-radius: 0; }
}
`;
