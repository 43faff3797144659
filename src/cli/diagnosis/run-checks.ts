/** Checks what commands need: Node, the configuration, the service and the sandboxes. */
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { parseClaims } from '../../account/auth/jwt.ts';
import { networkTransport } from '../../account/client/network.ts';
import { proxyFor } from '../../account/client/proxy-setting.ts';
import { plainRequest } from '../../account/client/request.ts';
import { isRow, isStringArray, isWebPage } from '../../account/client/shape.ts';
import { type HttpResponse, TransportError } from '../../account/client/transport.ts';
import {
  endpointName,
  requireBaseUrl,
  requireToken,
  type Settings,
} from '../../account/settings/settings.ts';
import { type LoadedSettings, loadSettings } from '../../account/settings/store.ts';
import type { Api } from '../../api/contract/api.ts';
import { scopeNames } from '../../api/contract/scope.ts';
import { Failure } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { userAgent } from '../../base/version.ts';
import { checkSandboxFile } from '../../sandbox/check.ts';
import { sandboxFile, sandboxFolder } from '../../sandbox/store/sandbox-files.ts';
import { checkAssumptions } from './assumptions.ts';
import {
  type DiagnosisContext,
  type Finding,
  findingFromError,
  passedFinding,
  problemFinding,
  skippedFinding,
  warningFinding,
} from './finding.ts';

/** Runs all checks. Sends a few requests if a service is configured. Throws only for bugs. */
export async function runChecks(context: DiagnosisContext): Promise<Finding[]> {
  const { findings, settings } = await checkConfiguration(context);
  return [
    checkNode(),
    ...findings,
    ...(settings ? await serviceFindings(settings, context) : []),
    ...(await checkSandboxes(settings?.sandbox, context)),
  ];
}

async function serviceFindings(settings: Settings, context: DiagnosisContext): Promise<Finding[]> {
  const { baseUrl, sandbox } = settings;
  if (sandbox !== undefined) return [skippedFinding('Network', 'not needed for a sandbox')];
  if (baseUrl === undefined) return [skippedFinding('Network', 'no service URL is set')];
  if (context.offline) return [skippedFinding('Network', 'skipped by --dry-run')];
  return checkService(settings, baseUrl, context);
}

export function checkNode(version: string = process.versions.node): Finding {
  const range = manifest.engines.node;
  if (isInRange(version, range)) return passedFinding('Node', `${version}`);
  return problemFinding(
    'Node',
    'usage',
    `${version}; boh needs ${range}.`,
    'Install the current LTS of Node: https://nodejs.org',
  );
}

/** Returns whether a version is in a range of `engines`: `^22.22.2 || >=24.15.0`. */
export function isInRange(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator, minVersion = ''] = /^\s*(\^|>=)([\d.]+)\s*$/.exec(part) ?? [];
    const isSameMajor = version.split('.')[0] === minVersion.split('.')[0];
    return compareVersions(version, minVersion) >= 0 && (operator === '>=' || isSameMajor);
  });
}

function compareVersions(a: string, b: string): number {
  const partsOfB = b.split('.').map(Number);
  const differences = a.split('.').map((part, index) => Number.parseInt(part, 10) - (partsOfB[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** The result of checking the configuration. */
interface Configuration {
  findings: Finding[];
  /** Undefined if the configuration can't be used; checks that need it are skipped. */
  settings?: Settings;
}

async function checkConfiguration({ flags, env }: DiagnosisContext): Promise<Configuration> {
  let loaded: LoadedSettings;
  try {
    loaded = await loadSettings(flags, env);
  } catch (error) {
    return { findings: [findingFromError('Configuration', error)] };
  }
  const { settings, config, store, notes } = loaded;
  return {
    findings: [
      fileFinding(store.path, notes),
      profileFinding(settings, Object.keys(config.profiles)),
      serviceFinding(settings),
    ],
    settings,
  };
}

/** Reports notes of reading the file, which has already fixed its permissions if possible. */
function fileFinding(path: string, notes: readonly string[]): Finding {
  if (notes.length > 0) {
    return warningFinding(
      'Configuration',
      notes.join(' '),
      boh.hint`File: ${path}. To check again: ${boh.account('doctor')}`,
    );
  }
  return passedFinding(
    'Configuration',
    existsSync(path) ? `${path}, readable only by you` : `none yet; the path is ${path}`,
  );
}

function profileFinding({ profile, source }: Settings, names: readonly string[]): Finding {
  if (profile !== undefined)
    return passedFinding('Profile', `${profile}, chosen by ${sourceNames[source.profile ?? 'default']}`);
  const otherProfiles = names.length > 0 ? `; available: ${names.join(', ')}` : '';
  return passedFinding('Profile', `none in use${otherProfiles}`);
}

const sourceNames = {
  flag: '--profile',
  environment: 'BOH_PROFILE',
  profile: 'the configuration',
  preset: 'the configuration',
  default: 'the configuration',
};

function serviceFinding(settings: Settings): Finding {
  try {
    if (settings.sandbox === undefined) requireBaseUrl(settings);
  } catch (error) {
    return findingFromError('Service', error);
  }
  return passedFinding('Service', endpointName(settings) + settings.apiPrefix);
}

/** Checks all sandboxes. Damage of the sandbox `inUse` is a problem; damage of others is a warning. */
async function checkSandboxes(inUse: string | undefined, { api, env }: DiagnosisContext): Promise<Finding[]> {
  const folder = sandboxFolder(env);
  const names = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => /^[^.].*\.sqlite$/.test(file))
        .map((file) => basename(file, '.sqlite'))
    : [];
  const findings = await Promise.all(
    names.map((name) => checkSandbox(name, name === inUse, sandboxFile(env, name), api)),
  );
  const damaged = findings.filter((finding) => finding !== undefined);
  if (damaged.length > 0) return damaged;
  return [passedFinding('Sandboxes', names.length === 0 ? 'none yet' : `intact: ${names.join(', ')}`)];
}

async function checkSandbox(
  name: string,
  isInUse: boolean,
  file: string,
  api: Api,
): Promise<Finding | undefined> {
  try {
    const [first, ...otherProblems] = await checkSandboxFile({ api, file });
    if (first === undefined) return undefined;
    const more =
      otherProblems.length > 0
        ? ` To list ${otherProblems.length} more: boh sandbox check --name ${name}`
        : '';
    return damagedFinding(name, isInUse, `The sandbox ${file} is damaged. ${first}${more}`, undefined);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return damagedFinding(name, isInUse, error.message, error.details.hint);
  }
}

function damagedFinding(name: string, isInUse: boolean, message: string, hint: Hint | undefined): Finding {
  const remedy =
    hint ?? boh.hint`To rename it and create a new one: ${boh.plain('sandbox reset', '--name', name)}`;
  return isInUse
    ? problemFinding('Sandboxes', 'unavailable', message, remedy)
    : warningFinding('Sandboxes', message, remedy);
}

/** The maximum time to wait for a response, in milliseconds. */
const maxWaitMs = 10_000;

/** The maximum difference of the clocks without a warning. The network can cause smaller differences. */
const maxSkewMs = 30_000;

/** Checks the service at `baseUrl`. */
async function checkService(
  settings: Settings,
  baseUrl: string,
  context: DiagnosisContext,
): Promise<Finding[]> {
  let result: { response: HttpResponse; ms: number };
  try {
    result = await requestWhoami(settings, baseUrl, context);
  } catch (error) {
    return connectionFindings(error, baseUrl);
  }
  const { response, ms } = result;
  const url = new URL(baseUrl);
  return [
    passedFinding('Network', `${url.host} responds in ${ms} ms${proxyText(url, context)}`),
    passedFinding(
      'TLS',
      url.protocol === 'https:' ? 'the certificate is trusted' : 'not needed for http on this machine',
    ),
    clockFinding(response.headers.date, context.now()),
    ...tokenFindings(response, settings, context),
    ...(response.status === 200 ? await checkAssumptions(settings, scopesIn(response), context) : []),
  ];
}

async function requestWhoami(
  { token, timeoutMs, apiPrefix }: Settings,
  baseUrl: string,
  { api, env, signal }: DiagnosisContext,
): Promise<{ response: HttpResponse; ms: number }> {
  const send = networkTransport({ baseUrl, timeoutMs: Math.min(timeoutMs, maxWaitMs), env });
  const request = plainRequest(
    { method: 'GET', target: apiPrefix + (api.account?.path ?? '/') },
    { token, userAgent: userAgent() },
  );
  const startMs = performance.now();
  const response = await send(request, signal);
  return { response, ms: Math.round(performance.now() - startMs) };
}

function connectionFindings(error: unknown, baseUrl: string): Finding[] {
  if (!(error instanceof TransportError)) return [findingFromError('Network', error)];
  const { message, hint } = error;
  const { host } = new URL(baseUrl);
  const skippedFindings = ['Clock', 'Token', 'Scopes'].map((check) =>
    skippedFinding(check, "the service can't be reached"),
  );
  return isAboutTls(error)
    ? [
        passedFinding('Network', `${host} accepts connections`),
        problemFinding('TLS', 'unavailable', message, hint),
        ...skippedFindings,
      ]
    : [
        problemFinding('Network', 'unavailable', message, hint),
        skippedFinding('TLS', 'there is no connection'),
        ...skippedFindings,
      ];
}

/** Returns whether the error has a TLS code of Node or OpenSSL, such as CERT_HAS_EXPIRED or ERR_SSL_WRONG_VERSION_NUMBER. */
function isAboutTls(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && /CERT|SSL|TLS|ISSUER|SIGNATURE/.test(String(cause.code))) return true;
  }
  return false;
}

function proxyText(service: URL, { env }: DiagnosisContext): string {
  const proxy = proxyFor(service, env);
  return proxy ? `, through the proxy in ${proxy.variable}` : '';
}

function clockFinding(date: string | undefined, now: Date): Finding {
  const serviceTime = Date.parse(date ?? '');
  if (Number.isNaN(serviceTime)) return skippedFinding('Clock', "the service doesn't report its time");
  const aheadMs = now.getTime() - serviceTime;
  if (Math.abs(aheadMs) <= maxSkewMs) return passedFinding('Clock', 'agrees with the service');
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const difference = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return warningFinding(
    'Clock',
    `This machine is ${difference} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service.`,
    'Synchronize the clock of this machine. Filters such as --updated-after 1h depend on it.',
  );
}

/** Returns the findings from the response to `whoami`. */
function tokenFindings(response: HttpResponse, settings: Settings, context: DiagnosisContext): Finding[] {
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
function scopesIn({ body }: HttpResponse): string[] | undefined {
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
