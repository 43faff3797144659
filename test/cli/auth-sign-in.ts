/** A sign-in in progress in the built program, and the requests of the browser. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Running, startBoh } from '../harness/start-boh.ts';
import { type AuthService, type Person, secrets } from './auth-service.ts';

export interface SignIn extends Running {
  /** The query of the authorization URL. */
  state: string;
  callback: URL;
  /** The authorization URL. */
  page: URL;
}

/** Starts a sign-in and waits until it has printed the authorization URL. */
export async function startSignIn(
  service: AuthService,
  person: Person,
  more: readonly string[] = [],
): Promise<SignIn> {
  const argv = ['auth', 'login', '--client-id', 'app-1', '--port', '0', '--scopes', 'general.read'];
  const running = startBoh([...argv, '--authorize-url', 'https://approve.example.com', ...more], {
    ...person.env,
    BOH_BASE_URL: service.baseUrl,
    BOH_CLIENT_SECRET: secrets.clientSecret,
  });
  const page = new URL((await running.says(/^https:\/\/approve\.example\.com\S+$/m))[0]);
  const state = page.searchParams.get('state') ?? '';
  return { ...running, page, state, callback: new URL(page.searchParams.get('redirect_uri') ?? '') };
}

export interface Seen {
  status: number;
  body: string;
}

/** Sends this query to the redirect URL, as the browser would. */
export function answer({ callback }: SignIn, query: Record<string, string>): Promise<Seen> {
  const address = new URL(callback);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return get(address);
}

export function get(address: URL, headers: Record<string, string> = {}): Promise<Seen> {
  return new Promise((resolve, reject) => {
    request(address, { headers, agent: false }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    })
      .on('error', reject)
      .end();
  });
}
