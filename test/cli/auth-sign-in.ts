/** Starts a sign-in in the built program, and sends the requests of the browser. */
import { chmodSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { quotedProgram } from '../harness/spawn-boh.ts';
import { type RunningBoh, startBoh } from '../harness/start-boh.ts';
import { openTerminal, type Terminal, type TerminalOptions } from '../harness/terminal.ts';
import { type AuthService, secrets, type TestHome } from './auth-service.ts';

export interface SignIn extends RunningBoh {
  /** The `state` parameter of the authorization URL. */
  state: string;
  callback: URL;
  /** The authorization URL. */
  page: URL;
}

/** Starts a sign-in and waits until it has printed the authorization URL. */
export async function startSignIn(
  service: AuthService,
  home: TestHome,
  extraFlags: readonly string[] = [],
): Promise<SignIn> {
  const argv = ['auth', 'login', '--client-id', 'app-1', '--port', '0', '--scopes', 'general.read'];
  const running = startBoh([...argv, '--authorize-url', 'https://approve.example.com', ...extraFlags], {
    ...home.env,
    BOH_BASE_URL: service.baseUrl,
    BOH_CLIENT_SECRET: secrets.clientSecret,
  });
  const page = new URL((await running.waitForStderr(/^https:\/\/approve\.example\.com\S+$/m))[0]);
  const state = page.searchParams.get('state') ?? '';
  return { ...running, page, state, callback: new URL(page.searchParams.get('redirect_uri') ?? '') };
}

export interface PageResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends this query to the redirect URL, as the browser would. */
export function sendCallback({ callback }: SignIn, query: Record<string, string>): Promise<PageResponse> {
  const url = new URL(callback);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return get(url);
}

export function get(url: URL, headers: Record<string, string> = {}): Promise<PageResponse> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, async (response) => {
      const { statusCode: status = 0, headers: responseHeaders } = response;
      resolve({ status, headers: responseHeaders, body: await text(response) });
    })
      .on('error', reject)
      .end();
  });
}

/** Waits until a browser starts, opens its page as the browser would, and returns the URL that it is redirected to. */
export async function authorizationPage(home: TestHome): Promise<URL> {
  const { headers } = await get(new URL(await home.waitForBrowser()));
  return new URL(headers.location ?? '');
}

/** Opens a terminal with a command line in which `boh` is the built program. */
export function openBoh(home: TestHome, line: string, { env, ...options }: TerminalOptions = {}): Terminal {
  const { PATH = '' } = home.env;
  const program = join(PATH, 'boh');
  writeFileSync(program, `#!/bin/sh\nexec ${quotedProgram} "$@"\n`);
  chmodSync(program, 0o755);
  return openTerminal(line, {
    ...options,
    env: { ...home.env, PATH: `${PATH}:${process.env.PATH}`, ...env },
  });
}
