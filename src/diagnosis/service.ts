/** Checks the service: connection, TLS, clock, token, and what boh assumes about it. */
import { userAgent } from '../base/version.ts';
import { networkTransport } from '../client/network.ts';
import { proxyFor } from '../client/proxy-setting.ts';
import { plainRequest } from '../client/request.ts';
import { type HttpResponse, TransportError } from '../client/transport.ts';
import type { Settings } from '../settings/settings.ts';
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
import { scopesIn, tokenFindings } from './token.ts';

/** The maximum time to wait for a response, in milliseconds. */
const maxWaitMs = 10_000;

/** The maximum difference of the clocks without a warning. The network can cause smaller differences. */
const maxSkewMs = 30_000;

/** Checks the service at `baseUrl`. */
export async function checkService(
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
