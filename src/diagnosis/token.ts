/** Checks the token: whether the service accepts it, its user and its scopes. */
import { parseClaims } from '../auth/jwt.ts';
import { boh } from '../base/hint.ts';
import { isRow, isStringArray, isWebPage } from '../client/shape.ts';
import type { HttpResponse } from '../client/transport.ts';
import { scopeNames } from '../contract/scope.ts';
import { requireToken, type Settings } from '../settings/settings.ts';
import {
  type DiagnosisContext,
  type Finding,
  findingFromError,
  passedFinding,
  problemFinding,
  skippedFinding,
  warningFinding,
} from './finding.ts';

/** Returns the findings from the response to `whoami`. */
export function tokenFindings(
  response: HttpResponse,
  settings: Settings,
  context: DiagnosisContext,
): Finding[] {
  const skippedScopes = skippedFinding('Scopes', 'no working token');
  try {
    requireToken(settings);
  } catch (error) {
    return [findingFromError('Token', error), skippedScopes];
  }
  const { status, body } = response;
  if (status === 401) return [refusedTokenFinding(settings, context), skippedScopes];
  if (status === 403) {
    const remedy = 'Check whether the app is still connected to the service.';
    return [
      problemFinding('Token', 'not_allowed', 'The service denies access with this token (403).', remedy),
      skippedScopes,
    ];
  }
  const account = status === 200 ? parseRecord(body) : undefined;
  if (!account) return [unexpectedResponseFinding(response, context), skippedScopes];
  return [acceptedTokenFinding(account, settings, context), scopesFinding(account.scopes)];
}

/** Returns the scopes in the response to `whoami`; undefined if it has none. */
export function scopesIn({ body }: HttpResponse): string[] | undefined {
  const scopes = parseRecord(body)?.scopes;
  return isStringArray(scopes) && scopes.length > 0 ? scopes : undefined;
}

function refusedTokenFinding(settings: Settings, { now }: DiagnosisContext): Finding {
  const expiresAt = settings.token && parseClaims(settings.token.reveal())?.expiresAt;
  const reason =
    expiresAt && expiresAt < now() ? `: it expired on ${expiresAt.toISOString().slice(0, 10)}` : '';
  const remedy =
    settings.source.token === 'environment'
      ? 'Set another token in BOH_TOKEN.'
      : boh.hint`To sign in again: ${boh.profile('auth login')}`;
  return problemFinding('Token', 'not_signed_in', `The service rejected the token${reason}.`, remedy);
}

function acceptedTokenFinding(
  account: Record<string, unknown>,
  settings: Settings,
  { now }: DiagnosisContext,
): Finding {
  const nameOf = (value: unknown) =>
    isRow(value) && typeof value.name === 'string' ? value.name : undefined;
  const [user, business] = [nameOf(account.user), nameOf(account.business)];
  const owner = [user, business].filter(Boolean).join(', for ') || 'an unnamed user';
  if (isRow(account.business) && account.business.is_blocked === true) {
    return problemFinding(
      'Token',
      'not_allowed',
      `It belongs to ${owner}; the business is blocked.`,
      'Contact the service.',
    );
  }
  const expiresAt = settings.token && parseClaims(settings.token.reveal())?.expiresAt;
  const days = expiresAt ? Math.floor((expiresAt.getTime() - now().getTime()) / 86_400_000) : undefined;
  if (days !== undefined && days < minValidDays) {
    return warningFinding(
      'Token',
      `It belongs to ${owner} and expires in ${days} days.`,
      boh.hint`To sign in again: ${boh.profile('auth login')}`,
    );
  }
  return passedFinding('Token', `belongs to ${owner}`);
}

const minValidDays = 14;

function scopesFinding(scopes: unknown): Finding {
  if (!Array.isArray(scopes))
    return skippedFinding('Scopes', "the service doesn't report the token's scopes");
  const missing = scopes.includes('*') ? [] : scopeNames.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return passedFinding('Scopes', 'all scopes');
  if (missing.length === scopeNames.length) {
    return warningFinding(
      'Scopes',
      'The token has none of the scopes that boh knows.',
      boh.hint`To sign in again with scopes: ${boh.profile('auth login', '--scopes', 'SCOPES')}`,
    );
  }
  return passedFinding('Scopes', `all but ${missing.join(', ')}`);
}

function unexpectedResponseFinding({ status, body }: HttpResponse, { api }: DiagnosisContext): Finding {
  const content = isWebPage(body)
    ? 'a web page'
    : body.trim() === ''
      ? 'an empty body'
      : 'an unexpected body';
  const message = `GET ${api.account?.path} returned ${content} (status ${status}) instead of the user of the token.`;
  if (status >= 500)
    return problemFinding('Token', 'unavailable', message, 'The service has an error. Try again later.');
  const remedy = boh.hint`Check --api-prefix, such as /v5, and the base URL: ${boh.account('config get', 'base_url')}`;
  return problemFinding('Token', 'unavailable', message, remedy);
}

function parseRecord(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isRow(value) && isRow(value.data) ? value.data : undefined;
  } catch {
    return undefined;
  }
}
