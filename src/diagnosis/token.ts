/** Does the service take the token, whose is it, and what does it allow? */
import { readClaims } from '../auth/jwt.ts';
import { boh } from '../base/hint.ts';
import { isRow, isWebPage } from '../client/shape.ts';
import type { HttpAnswer } from '../client/transport.ts';
import { scopeNames } from '../contract/scope.ts';
import { requireToken, type Settings } from '../settings/settings.ts';
import { type Finding, ok, problem, problemFrom, type Surroundings, skipped, warning } from './finding.ts';

/** From the answer to `whoami`, which is the only one that says. */
export function tokenFindings(answer: HttpAnswer, settings: Settings, around: Surroundings): Finding[] {
  const noScopes = skipped('Scopes', 'a token that works has to be there first');
  try {
    requireToken(settings);
  } catch (error) {
    return [problemFrom('Token', error), noScopes];
  }
  const { status, body } = answer;
  if (status === 401) return [refusedToken(settings, around), noScopes];
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
  if (!who) return [unexpected(answer, around), noScopes];
  return [acceptedToken(who, settings, around), scopesFinding(who.scopes)];
}

function refusedToken(settings: Settings, { now }: Surroundings): Finding {
  const expiresAt = settings.token && readClaims(settings.token.reveal())?.expiresAt;
  const why = expiresAt && expiresAt < now() ? `: it ran out on ${expiresAt.toISOString().slice(0, 10)}` : '';
  const from =
    settings.source.token === 'environment'
      ? 'The token comes from BOH_TOKEN: put another one there.'
      : boh.hint`To sign in again: ${boh.profile('auth login')}`;
  return problem('Token', 'not_signed_in', `The service refuses the token${why}.`, from);
}

function acceptedToken(who: Record<string, unknown>, settings: Settings, { now }: Surroundings): Finding {
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
      boh.hint`To sign in again: ${boh.profile('auth login')}`,
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
      boh.hint`To sign in again with scopes: ${boh.profile('auth login', '--scopes', 'SCOPES')}`,
    );
  }
  return ok('Scopes', `all but ${missing.join(', ')}`);
}

function unexpected({ status, body }: HttpAnswer, { api }: Surroundings): Finding {
  const what = isWebPage(body) ? 'a web page' : body.trim() === '' ? 'nothing' : 'something else';
  const message = `The service answers ${api.account?.path} with ${what} (status ${status}) instead of who the token belongs to.`;
  if (status >= 500)
    return problem('Token', 'unavailable', message, 'The service has a fault of its own: try again later.');
  const remedy = boh.hint`Check --api-prefix, such as /v5, and the address: ${boh.account('config get', 'base_url')}`;
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
