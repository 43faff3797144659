/** What goes wrong between here and the service, in words, and whether the request can have arrived. Loaded lazily. */
import { TransportError } from './transport.ts';

interface Explanation {
  message: string;
  /** Left out where the request may have arrived. */
  neverLeft?: true;
  hint?: string;
}

/** From the error codes of Node, OpenSSL and undici. */
export function explainNetworkError(
  error: unknown,
  context: { host: string; timeoutMs: number },
): TransportError {
  const code = codeOf(error);
  const { message, neverLeft, hint } = explanationOf(code, error, context);
  return new TransportError(message, { mayHaveArrived: !neverLeft, cause: error, ...(hint && { hint }) });
}

function explanationOf(
  code: string,
  error: unknown,
  { host, timeoutMs }: { host: string; timeoutMs: number },
): Explanation {
  const checkAddress =
    'Check the address (`boh config get base_url`, --base-url or BOH_BASE_URL) and your network.';
  const seconds = timeoutMs / 1000;
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { message: `The name ${host} can’t be found.`, neverLeft: true, hint: checkAddress };
    case 'ECONNREFUSED':
      return { message: `${host} doesn’t accept connections.`, neverLeft: true, hint: checkAddress };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return { message: `There is no way to ${host} from here.`, neverLeft: true, hint: checkAddress };
    case 'UND_ERR_CONNECT_TIMEOUT':
      return {
        message: `${host} didn’t take the connection within ${seconds} s.`,
        neverLeft: true,
        hint: checkAddress,
      };
    case 'CERT_HAS_EXPIRED':
      return { message: `The certificate of ${host} has expired.`, neverLeft: true, hint: untrusted };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return { message: `${host} shows the certificate of another host.`, neverLeft: true, hint: untrusted };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return {
        message: `The certificate of ${host} is not signed by an authority that this machine knows.`,
        neverLeft: true,
        hint: 'If the authority is your own, name its certificate file in NODE_EXTRA_CA_CERTS.',
      };
    case 'TimeoutError':
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return {
        message: `${host} didn’t answer within ${seconds} s.`,
        hint: 'A longer wait: --timeout SECONDS.',
      };
    case 'HPE_INVALID_CONSTANT':
      return { message: `${host} doesn’t speak HTTP on this port.`, hint: checkAddress };
    default:
      if (code.startsWith('ERR_SSL')) {
        return { message: `${host} doesn’t speak TLS on this port.`, neverLeft: true, hint: checkAddress };
      }
      return { message: `The connection to ${host} broke${code ? ` (${code})` : ''}.`, ...reasonOf(error) };
  }
}

const untrusted = 'Someone may be listening in: nothing was sent. Tell whoever runs the service.';

function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.name === 'TimeoutError') return at.name;
    // Several addresses were tried, none answered: they failed alike.
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  return '';
}

/** A proxy that refuses to connect has not passed the request on. */
function reasonOf(error: unknown): Partial<Explanation> {
  const isProxy = error instanceof Error && /proxy/i.test(error.message);
  return isProxy ? { hint: 'A proxy is set in the environment (HTTPS_PROXY): check that it works.' } : {};
}
