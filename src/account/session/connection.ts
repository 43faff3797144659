/** Connects to the service of the settings: over the network, or in the same process. */

import type { Api } from '../../api/contract/api.ts';
import type { Environment } from '../../base/environment.ts';
import { userAgent } from '../../base/version.ts';
import { type Client, type OnResponse, TransportClient } from '../client/client.ts';
import { maxConcurrency, type Pace } from '../client/pace.ts';
import type { RefusedToken } from '../client/refusal.ts';
import type { OnWait } from '../client/retry.ts';
import { embeddedTransport, type Handler, pooledTransport, type Transport } from '../client/transport.ts';
import { refusalOf } from '../settings/refused-tokens.ts';
import { requireBaseUrl, requireToken, type Settings } from '../settings/settings.ts';
import { accountKeyOf } from './account.ts';

/** A service in this process, such as the sandbox. */
export interface Embedded {
  handle: Handler;
  /** Returns the token of the owner, for users who haven't signed in. */
  ownerToken(): string;
  close?(): void;
}

export interface ConnectionOptions {
  api: Api;
  settings: Settings;
  /** The environment with the proxy settings. */
  env: Environment;
  /** Cancels waits and requests. */
  signal?: AbortSignal | undefined;
  /** Opens the embedded service that `settings.sandbox` names. */
  embedded?: ((name: string, settings: Settings) => Promise<Embedded>) | undefined;
  /** Called before each wait, with the reason and the time in milliseconds. */
  onWait?: OnWait | undefined;
  /** Called for every response, with its status and duration but without headers and bodies. */
  onResponse?: OnResponse | undefined;
  /** Called before each request; see `ClientOptions`. */
  onRequest?: (() => () => void) | undefined;
  /** The maximum number of concurrent requests over the network. */
  concurrency?: number | undefined;
  /** Creates the rate limiter. `key` identifies the token and its base URL. */
  paceFor?: ((key: string) => Promise<Pace>) | undefined;
  /** Whether the rate of requests to an embedded service is limited too: it has no limit of its own. */
  isPacedEmbedded?: boolean | undefined;
}

/** An open connection to a service. */
export interface Connection {
  client: Client;
  /** Returns the current rate limit, and how long `requests` take with it; undefined if no limit is known. */
  paceOf(requests: number): { limit: string; ms: number } | undefined;
  close(): void;
}

/** Returns a connection. Throws a usage failure without a base URL, and `not_signed_in` without a token. Sends nothing. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { settings, signal, onWait, onResponse, onRequest } = options;
  const { transport, token, close, refusedToken, pace, maxConcurrency } =
    settings.sandbox === undefined
      ? await connectNetwork(options)
      : await connectEmbedded(options, settings.sandbox);
  const client = new TransportClient({
    transport,
    token,
    apiPrefix: settings.apiPrefix,
    wire: settings.wire,
    userAgent: userAgent(),
    signal,
    onWait,
    onResponse,
    api: options.api,
    onRequest,
    refusedToken,
    pace,
    maxConcurrency,
  });
  const paceOf = (requests: number) => {
    const [limit, ms] = [pace?.describeLimit(), pace?.estimate(requests)];
    return limit === undefined || ms === undefined ? undefined : { limit, ms };
  };
  return { client, paceOf, close };
}

interface TransportSetup {
  transport: Transport;
  token: { reveal(): string };
  refusedToken?: RefusedToken;
  pace?: Pace | undefined;
  maxConcurrency?: number;
  close(): void;
}

async function connectNetwork({
  settings,
  env,
  concurrency = maxConcurrency,
  paceFor,
}: ConnectionOptions): Promise<TransportSetup> {
  const baseUrl = requireBaseUrl(settings);
  const token = requireToken(settings);
  const { networkTransport } = await import('../client/network.ts');
  const transport = pooledTransport(concurrency, () =>
    networkTransport({ baseUrl, timeoutMs: settings.timeoutMs, env }),
  );
  const pace = await paceFor?.(accountKeyOf(settings));
  return {
    transport,
    token,
    pace,
    maxConcurrency: Math.min(concurrency, maxConcurrency),
    close: () => pace?.close(),
    refusedToken: refusalOf({ ...settings, token }, env),
  };
}

/** Connects to an embedded service with the token in use; without one, as its owner. */
async function connectEmbedded(
  { settings, embedded, paceFor, isPacedEmbedded }: ConnectionOptions,
  name: string,
): Promise<TransportSetup> {
  if (!embedded) throw new Error(`the sandbox ${name} can't be opened without the option "embedded"`);
  const service = await embedded(name, settings);
  const ownerToken = settings.token ? '' : service.ownerToken();
  const pace = isPacedEmbedded ? await paceFor?.(accountKeyOf(settings)) : undefined;
  return {
    transport: embeddedTransport((request, signal) => service.handle(request, signal)),
    token: settings.token ?? { reveal: () => ownerToken },
    pace,
    close: () => {
      pace?.close();
      service.close?.();
    },
  };
}
