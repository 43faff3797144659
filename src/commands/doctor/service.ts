/** Does the service answer, does it take the token, and what does the token allow? One request tells. */
import { readClaims } from '../../auth/jwt.ts';
import { networkTransport } from '../../client/network.ts';
import { proxyFor } from '../../client/proxy.ts';
import { plainRequest } from '../../client/request.ts';
import { isRow, isWebPage } from '../../client/shape.ts';
import { type HttpAnswer, TransportError } from '../../client/transport.ts';
import { scopeNames } from '../../contract/scope.ts';
import { whoami } from '../../resources/whoami.ts';
import { requireToken, type Settings } from '../../settings/settings.ts';
import { userAgent } from '../../version.ts';
import type { Context } from '../context.ts';
import { type Finding, ok, problem, problemFrom, skipped, warning } from './finding.ts';

/** Nobody waits longer for a diagnosis. */
const longestWaitMs = 10_000;

/** A clock that is off by more is told of; by less it may be the way to the service. */
const toleratedSkewMs = 30_000;

/** `baseUrl` is set: whether it is was checked before. */
export async function checkService(
  settings: Settings,
  baseUrl: string,
  context: Context,
): Promise<Finding[]> {
  let asked: { answer: HttpAnswer; ms: number };
  try {
    asked = await ask(settings, baseUrl, context);
  } catch (error) {
    return unreached(error, baseUrl);
  }
  const { answer, ms } = asked;
  const url = new URL(baseUrl);
  return [
    ok('Network', `${url.host} answers in ${ms} ms${throughProxy(url, context)}`),
    ok(
      'TLS',
      url.protocol === 'https:'
        ? 'the certificate is trusted'
        : 'not needed: plain http, on this machine alone',
    ),
    clockFinding(answer.headers.date, context.now()),
    ...tokenFindings(answer, settings, context),
  ];
}

async function ask(
  { token, timeoutMs, apiPrefix }: Settings,
  baseUrl: string,
  { env, signal }: Context,
): Promise<{ answer: HttpAnswer; ms: number }> {
  const send = networkTransport({ baseUrl, timeoutMs: Math.min(timeoutMs, longestWaitMs), env });
  const request = plainRequest(
    { method: 'GET', target: apiPrefix + whoami.path },
    { token, userAgent: userAgent() },
  );
  const started = performance.now();
  const answer = await send(request, signal);
  return { answer, ms: Math.round(performance.now() - started) };
}

function unreached(error: unknown, baseUrl: string): Finding[] {
  if (!(error instanceof TransportError)) return [problemFrom('Network', error)];
  const { message, hint } = error;
  const { host } = new URL(baseUrl);
  const rest = ['Clock', 'Token', 'Scopes'].map((check) =>
    skipped(check, 'the service has to be reached first'),
  );
  return isAboutTls(error)
    ? [ok('Network', `${host} takes connections`), problem('TLS', 'unavailable', message, hint), ...rest]
    : [problem('Network', 'unavailable', message, hint), skipped('TLS', 'there is no connection'), ...rest];
}

/** By the codes of Node and OpenSSL, such as CERT_HAS_EXPIRED or ERR_SSL_WRONG_VERSION_NUMBER. */
function isAboutTls(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && /CERT|SSL|TLS|ISSUER|SIGNATURE/.test(String(at.code))) return true;
  }
  return false;
}

function throughProxy(service: URL, { env }: Context): string {
  const proxy = proxyFor(service, env);
  return proxy ? `, through the proxy that ${proxy.variable} names` : '';
}

function clockFinding(date: string | undefined, now: Date): Finding {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return skipped('Clock', 'the service doesn’t say what time it is');
  const ahead = now.getTime() - theirs;
  if (Math.abs(ahead) <= toleratedSkewMs) return ok('Clock', 'agrees with the service');
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const span = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return warning(
    'Clock',
    `This machine is ${span} ${ahead > 0 ? 'ahead of' : 'behind'} the service.`,
    'Let the machine set its clock by the network: filters such as --updated-after 1h rest on it.',
  );
}

function tokenFindings(answer: HttpAnswer, settings: Settings, context: Context): Finding[] {
  const noScopes = skipped('Scopes', 'a token that works has to be there first');
  try {
    requireToken(settings);
  } catch (error) {
    return [problemFrom('Token', error), noScopes];
  }
  const { status, body } = answer;
  if (status === 401) return [refusedToken(settings, context), noScopes];
  if (status === 403) {
    const remedy = 'Ask whoever runs the service whether the app is still connected.';
    return [
      problem(
        'Token',
        'not_allowed',
        'The service knows the token and refuses it all the same (403).',
        remedy,
      ),
      noScopes,
    ];
  }
  const who = status === 200 ? readRecord(body) : undefined;
  if (!who) return [unexpected(answer), noScopes];
  return [acceptedToken(who, settings, context), scopesFinding(who.scopes)];
}

function refusedToken(settings: Settings, { now }: Context): Finding {
  const expiresAt = settings.token && readClaims(settings.token.reveal())?.expiresAt;
  const why = expiresAt && expiresAt < now() ? `: it ran out on ${expiresAt.toISOString().slice(0, 10)}` : '';
  const from =
    settings.source.token === 'environment'
      ? 'The token comes from BOH_TOKEN: put another one there.'
      : 'Sign in again with `boh auth login`.';
  return problem('Token', 'not_signed_in', `The service refuses the token${why}.`, from);
}

function acceptedToken(who: Record<string, unknown>, settings: Settings, { now }: Context): Finding {
  const name = (value: unknown) => (isRow(value) && typeof value.name === 'string' ? value.name : undefined);
  const [user, business] = [name(who.user), name(who.business)];
  const whose = [user, business].filter(Boolean).join(', for ') || 'someone whom the service doesn’t name';
  if (isRow(who.business) && who.business.is_blocked === true) {
    return problem(
      'Token',
      'not_allowed',
      `It belongs to ${whose}; the business is blocked.`,
      'Settle it with the service.',
    );
  }
  const expiresAt = settings.token && readClaims(settings.token.reveal())?.expiresAt;
  const days = expiresAt ? Math.floor((expiresAt.getTime() - now().getTime()) / 86_400_000) : undefined;
  if (days !== undefined && days < soonDays) {
    return warning(
      'Token',
      `It belongs to ${whose}, and runs out in ${days} days.`,
      'Sign in again with `boh auth login`.',
    );
  }
  return ok('Token', `belongs to ${whose}`);
}

const soonDays = 14;

function scopesFinding(scopes: unknown): Finding {
  if (!Array.isArray(scopes)) return skipped('Scopes', 'the service doesn’t say what the token allows');
  const missing = scopes.includes('*') ? [] : scopeNames.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return ok('Scopes', 'every scope that boh knows');
  if (missing.length === scopeNames.length) {
    return warning(
      'Scopes',
      'The token has none of the scopes that boh knows.',
      'Sign in again and ask for some: `boh auth login --scopes …`.',
    );
  }
  return ok('Scopes', `all but ${missing.join(', ')}`);
}

function unexpected({ status, body }: HttpAnswer): Finding {
  const what = isWebPage(body) ? 'a web page' : body.trim() === '' ? 'nothing' : 'something else';
  const message = `The service answers ${whoami.path} with ${what} (status ${status}) instead of who the token belongs to.`;
  if (status >= 500)
    return problem('Token', 'unavailable', message, 'The service has a fault of its own: try again later.');
  const remedy =
    'Check the address (boh config get base_url) and what stands before every path (--api-prefix, such as /v5).';
  return problem('Token', 'unavailable', message, remedy);
}

function readRecord(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isRow(value) && isRow(value.data) ? value.data : undefined;
  } catch {
    return undefined;
  }
}
