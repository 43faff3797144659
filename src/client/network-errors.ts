/** Explains network errors. */

import { formatDuration } from '../base/duration.ts';
import { boh, type Hint } from '../base/hint.ts';
import { hasUnknownAuthority } from '../base/system-authorities.ts';
import { TransportError } from './transport.ts';

/** The exchange that failed. */
export interface Exchange {
  /** The host, with its port unless it is the default one. */
  host: string;
  /** The host of the proxy, if one is used, and the variable that names it. */
  proxy?: { host: string; variable: string } | undefined;
  timeoutMs: number;
  connectMs: number;
  /** Whether any part of the request was sent. */
  isSent: boolean;
  /** Whether the whole exchange took too long. */
  isTimedOut: boolean;
}

interface Explanation {
  message: string;
  hint?: Hint;
  isPermanent?: true;
}

/** Returns the failure for an error code of Node, OpenSSL or undici. */
export function explainNetworkError(error: unknown, exchange: Exchange): TransportError {
  const explanation = explain(codeOf(error), error, exchange);
  return new TransportError(explanation.message, {
    ...explanation,
    mayHaveArrived: exchange.isSent,
    cause: error,
  });
}

function explain(code: string, error: unknown, exchange: Exchange): Explanation {
  const { host, proxy, timeoutMs, connectMs, isSent, isTimedOut } = exchange;
  // Until the request is sent, the error is about the connection to the proxy.
  const peer = proxy ? `The proxy ${proxy.host}` : host;
  const hint = proxy
    ? `The proxy is set in ${proxy.variable}: check its URL, or list ${host} in NO_PROXY to bypass it.`
    : boh.hint`Check your network, --base-url, BOH_BASE_URL and the current URL: ${boh.account('config get', 'base_url')}`;

  if (isTimedOut && isSent) {
    return {
      message: `${host} didn't send a complete response within ${formatDuration(timeoutMs)}.`,
      hint: 'To wait longer: --timeout SECONDS',
    };
  }
  if (isTimedOut || code === 'UND_ERR_CONNECT_TIMEOUT' || (code === 'ETIMEDOUT' && !isSent)) {
    const ms = isTimedOut ? timeoutMs : connectMs;
    return { message: `${peer} didn't accept the connection within ${formatDuration(ms)}.`, hint };
  }
  const proxyStatus = /Proxy response \((\d+)\)|Proxy Authentication Required \((407)\)/.exec(
    messageOf(error),
  );
  if (proxy && proxyStatus)
    return explainProxyRefusal(proxyStatus[1] ?? proxyStatus[2] ?? '', host, proxy, hint);

  if (hasUnknownAuthority(error)) {
    return {
      message: `The certificate of ${host} is not signed by a trusted authority.`,
      hint: 'If it is your own authority, set NODE_EXTRA_CA_CERTS to its certificate file.',
      isPermanent: true,
    };
  }

  switch (code) {
    case 'ENOTFOUND':
      return { message: `The host name ${proxy?.host ?? host} can't be resolved.`, hint, isPermanent: true };
    case 'EAI_AGAIN':
      return { message: `The host name ${proxy?.host ?? host} can't be resolved at the moment.`, hint };
    case 'ECONNREFUSED':
      return { message: `${peer} refused the connection.`, hint };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return { message: `${peer} can't be reached from this machine.`, hint };
    case 'CERT_HAS_EXPIRED':
      return untrustedExplanation(`The certificate of ${host} has expired.`);
    case 'CERT_NOT_YET_VALID':
      return untrustedExplanation(
        `The certificate of ${host} is not valid yet, or the clock of this machine is wrong.`,
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return untrustedExplanation(`${host} returned the certificate of another host.`);
    case 'UND_ERR_PRX_TLS':
      return untrustedExplanation(`${peer} returned the certificate of another host.`);
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return {
        message: `The response of ${host} is too long, and was not read completely.`,
        isPermanent: true,
      };
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { message: `The response headers of ${host} are too long.`, isPermanent: true };
    default:
      return explainFamily(code, peer, exchange, hint);
  }
}

/** Explains groups of similar codes. */
function explainFamily(code: string, peer: string, { host, isSent }: Exchange, hint: Hint): Explanation {
  if (code === 'HTTPParserError' || code.startsWith('HPE_')) {
    return { message: `The response of ${host} is not HTTP.`, hint, isPermanent: true };
  }
  if (/^ERR_(SSL|TLS)_|^EPROTO$/.test(code)) {
    return {
      message: `No secure connection to ${host} could be established (${code}).`,
      hint,
      isPermanent: true,
    };
  }
  if (/CERT|CRL/.test(code)) {
    return untrustedExplanation(`The certificate of ${host} can't be trusted (${code}).`);
  }
  // Users can look up the system's codes, but not those of undici.
  const codeSuffix = code === '' || code.startsWith('UND_') ? '' : ` (${code})`;
  if (!isSent)
    return { message: `${peer} closed the connection before anything was sent${codeSuffix}.`, hint };
  return { message: `The connection to ${host} was lost before the response was complete${codeSuffix}.` };
}

function untrustedExplanation(message: string): Explanation {
  return {
    message,
    hint: 'Nothing was sent: the connection may be intercepted. Contact the operator of the service.',
    isPermanent: true,
  };
}

function explainProxyRefusal(
  status: string,
  host: string,
  proxy: { host: string; variable: string },
  hint: Hint,
): Explanation {
  if (status === '407') {
    return {
      message: `The proxy ${proxy.host} requires a valid user name and password.`,
      hint: `Set them in ${proxy.variable}: http://NAME:PASSWORD@${proxy.host}`,
      isPermanent: true,
    };
  }
  return {
    message: `The proxy ${proxy.host} refuses to connect to ${host} (${status}).`,
    hint,
    isPermanent: true,
  };
}

function codeOf(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    // The codes are those of the HTTP parser; this list is incomplete.
    if (current.name === 'HTTPParserError') return current.name;
    // Several IP addresses were tried, and all failed in the same way.
    if (current instanceof AggregateError && current.errors.length > 0) return codeOf(current.errors[0]);
  }
  return '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
