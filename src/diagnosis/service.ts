/** Does the service answer, securely and at the same time of day, whose is the token, and how are deleted records listed? */

import { Failure } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { userAgent } from '../base/version.ts';
import { networkTransport, proxyFor } from '../client/network.ts';
import { plainRequest } from '../client/request.ts';
import { type HttpAnswer, TransportError } from '../client/transport.ts';
import { operation } from '../contract/operation.ts';
import { isDeleted, showsDeleted } from '../session/list.ts';
import { openSession } from '../session/session.ts';
import type { Settings } from '../settings/settings.ts';
import { type Finding, ok, problem, problemFrom, type Surroundings, skipped, warning } from './finding.ts';
import { tokenFindings } from './token.ts';

/** Nobody waits longer for a diagnosis. */
const longestWaitMs = 10_000;

/** A clock that is off by more is told of; by less it may be the way to the service. */
const toleratedSkewMs = 30_000;

/** `baseUrl` is set: whether it is was checked before. */
export async function checkService(
  settings: Settings,
  baseUrl: string,
  around: Surroundings,
): Promise<Finding[]> {
  let asked: { answer: HttpAnswer; ms: number };
  try {
    asked = await ask(settings, baseUrl, around);
  } catch (error) {
    return unreached(error, baseUrl);
  }
  const { answer, ms } = asked;
  const url = new URL(baseUrl);
  return [
    ok('Network', `${url.host} answers in ${ms} ms${throughProxy(url, around)}`),
    ok(
      'TLS',
      url.protocol === 'https:'
        ? 'the certificate is trusted'
        : 'not needed: plain http, on this machine alone',
    ),
    clockFinding(answer.headers.date, around.now()),
    ...tokenFindings(answer, settings, around),
    ...(answer.status === 200 ? [await checkDeletedRecords(settings, around)] : []),
  ];
}

async function ask(
  { token, timeoutMs, apiPrefix }: Settings,
  baseUrl: string,
  { api, env, signal }: Surroundings,
): Promise<{ answer: HttpAnswer; ms: number }> {
  const send = networkTransport({ baseUrl, timeoutMs: Math.min(timeoutMs, longestWaitMs), env });
  const request = plainRequest(
    { method: 'GET', target: apiPrefix + (api.account?.path ?? '/') },
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

function throughProxy(service: URL, { env }: Surroundings): string {
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

/** Does the service list deleted records beside active ones, or by themselves? Backups, copies and mirrors read accordingly. */
const check = 'Deleted records';

/** How many lists are looked at for one that has a deleted record. */
const maxLists = 3;

/** Sends up to three requests, each for the first page of a list with deleted records. */
async function checkDeletedRecords(
  settings: Settings,
  { api, env, signal }: Pick<Surroundings, 'api' | 'env' | 'signal'>,
): Promise<Finding> {
  const session = openSession({ api, settings, env, signal });
  const lists = api.collections
    .filter(showsDeleted)
    .flatMap((resource) => operation(resource, 'list') ?? [])
    .slice(0, maxLists);
  try {
    for (const list of lists) {
      const query = { filters: { is_deleted: 'true' } };
      const pages = session.list({ operation: list, query }, { isFirstPageOnly: true }).pages();
      for await (const { rows } of pages) {
        const deleted = rows.filter(isDeleted).length;
        if (deleted === 0) continue;
        return deleted < rows.length ? ok(check, 'are listed beside active ones') : byThemselves(settings);
      }
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return skipped(check, `not known: ${error.message}`);
  }
  return skipped(check, `not known: the first pages of ${lists.length} lists have none`);
}

function byThemselves({ wire }: Settings): Finding {
  if (wire.deletedFilter === 'only') return ok(check, 'are listed by themselves');
  return warning(
    check,
    'seem to be listed by themselves: the first page of a list with deleted records has no active one',
    boh.hint`Reading them takes two lists. To save the first request: ${boh.account('config set', 'wire.deleted_filter', 'only')}`,
  );
}
