/** `boh auth login`: from an address and an app to a token that works, kept in a profile. */

import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Option } from 'commander';
import { canListen, withPort } from '../../auth/loopback-listener.ts';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { type App, type ApprovalOptions, signIn } from '../../prompts/sign-in.ts';
import { askHidden } from '../../prompts/terminal/prompts.ts';
import { demoClient } from '../../sandbox/oauth/clients.ts';
import { sandboxFile } from '../../sandbox/store/sandbox-files.ts';
import type { Flags } from '../../settings/layers.ts';
import { readClientSecret, readToken, Secret } from '../../settings/secret.ts';
import type { Settings } from '../../settings/settings.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { startServing } from '../sandbox/serving.ts';
import { keepSettings, keepToken } from './keep-token.ts';
import { completeTarget } from './needs.ts';
import { findTarget, type SignInTarget } from './target.ts';

type OfService =
  | ('authorizeUrl' | 'tokenUrl' | 'redirectUri' | 'clientId' | 'scopes')
  | ('oauthBody' | 'oauthClientAuth' | 'oauthPkce');

interface LoginOptions extends ApprovalOptions, Pick<Flags, OfService> {
  port?: string;
  clientSecretFile?: string;
  withToken?: boolean;
}

const flags = [
  ['--authorize-url <address>', 'the page on which you approve boh'],
  ['--token-url <address>', 'where a code is exchanged, if not at {base-url}/oauth/token'],
  ['--client-id <id>', 'the id of your app at the service'],
  ['--client-secret-file <file>', 'its secret; or set BOH_CLIENT_SECRET'],
  ['--scopes <scopes>', 'what to ask for, with commas or spaces between'],
  ['--redirect-uri <address>', 'where the page leads back to, exactly as registered'],
  ['--port <number>', 'the port of that address; 0 takes a free one'],
  ['--oauth-body <json|form>', 'how the exchange is sent, if not as JSON'],
  ['--oauth-client-auth <body|basic>', 'where client id and secret go in it'],
  ['--oauth-pkce <on|off>', 'prove with PKCE who asked for the code'],
  ['--no-browser', 'open no browser here: paste the address that yours ends up on'],
  ['--allow-missing-state', 'accept an answer without state, as from an app store'],
  ['--with-token', 'read a token from standard input, and leave out all this'],
] as const;

const ending = `
What is missing is asked for once, on a terminal, and kept in the profile.

Examples:
  boh auth login --base-url https://api.example.com
  boh auth login --with-token --base-url https://api.example.com < token.txt
  boh auth login --sandbox`;

export function loginCommand(context: Context): Command {
  const command = prepare(new Command('login')).description('Sign in through the browser, or store a token.');
  for (const [names, about] of flags) command.addOption(new Option(names, about));
  return command.addHelpText('after', ending).action((options: LoginOptions) => login(options, context));
}

async function login(options: LoginOptions, context: Context): Promise<void> {
  if (context.globals.dryRun) throw usage('Signing in can’t be shown without doing it: leave out --dry-run.');
  const { browser, allowMissingState, port, clientSecretFile, withToken, ...ofService } = options;
  const given = await findTarget(ofService, context);
  const target = port === undefined ? given : withRedirectPort(given, port);
  if (withToken) {
    const complete = await completeTarget(target, ['base_url'], context);
    return keepToken(complete, await readPastedToken(context), context);
  }
  if (target.settings.sandbox !== undefined) {
    return keepToken(target, await signInToSandbox(target.settings, options, context), context);
  }
  await signInToService(target, options, context);
}

async function signInToService(given: SignInTarget, options: LoginOptions, context: Context): Promise<void> {
  const { clientSecretFile: file } = options;
  const withFile = file === undefined ? given : { ...given, newSecret: await readClientSecretFile(file) };
  const needs = ['base_url', 'authorize_url', 'client_id', 'scopes', 'client_secret'] as const;
  const target = await completeTarget(withFile, needs, context);
  const token = await signIn(appOf(target), options, context);
  // By now they are proven right, and they are tedious to type.
  await keepSettings(target, context);
  await keepToken(target, token, context);
}

/** Everything is there: `completeTarget` has seen to it. */
function appOf({ settings, newSecret }: SignInTarget): App {
  const { authorizeUrl = '', tokenUrl = '', clientId = '', clientSecret = new Secret('') } = settings;
  return { ...settings, authorizeUrl, tokenUrl, clientId, clientSecret: newSecret ?? clientSecret };
}

function withRedirectPort(target: SignInTarget, text: string): SignInTarget {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw usage('--port is a number from 0 to 65535.');
  const { redirectUri } = target.settings;
  if (canListen(redirectUri)) return target.withFlags({ redirectUri: withPort(redirectUri, port) });
  throw usage(`--port is for a redirect address on this machine, and not for ${redirectUri}.`);
}

async function signInToSandbox(settings: Settings, way: ApprovalOptions, context: Context): Promise<Secret> {
  const { sandbox: name = 'default', apiPrefix, redirectUri, scopes, source, timeoutMs } = settings;
  const { openSandbox } = await import('../../sandbox/service.ts');
  const { api, env, signal } = context;
  const sandbox = await openSandbox({ api, file: sandboxFile(env, name), apiPrefix, signal });
  try {
    const served = await startServing(sandbox, { port: 0, apiPrefix, isApproving: false }, context);
    const app = {
      authorizeUrl: `${served.baseUrl}/authorize`,
      tokenUrl: `${served.baseUrl}/oauth/token`,
      clientId: demoClient.id,
      clientSecret: new Secret(demoClient.secret),
      // A sandbox takes any port of this machine, so it needn't be one that is taken.
      redirectUri: source.redirect_uri === 'default' && way.browser ? withPort(redirectUri, 0) : redirectUri,
      scopes,
      oauth: { body: 'json', clientAuth: 'body', pkce: true } as const,
      timeoutMs,
    };
    try {
      return await signIn(app, way, context);
    } finally {
      await served.close();
    }
  } finally {
    sandbox.close();
  }
}

/** No secret is this long; what is longer isn't read to its end. */
const longest = 65_536;

/** `--client-secret-file`. */
async function readClientSecretFile(path: string): Promise<Secret> {
  return readClientSecret(await textOf(path));
}

/** `--with-token`: from standard input, or asked for where that is the keyboard. */
async function readPastedToken({ streams }: Context): Promise<Secret> {
  if (!streams.isTerminal.in) return readToken(await textFrom(streams.stdin));
  if (!streams.interactive) {
    throw usage('The token is read from standard input, which is the keyboard here.', {
      hint: boh.hint`To store it: ${boh.profile('auth login', '--with-token')} < FILE`,
    });
  }
  return readToken(await askHidden(streams, { message: 'The token:' }));
}

async function textOf(path: string): Promise<string> {
  try {
    const file = await open(path);
    return await textFrom(file.createReadStream());
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    throw usage(`The file ${path} can’t be read: ${reasons[code] ?? code}.`, { cause });
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'it is a folder',
};

async function textFrom(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk;
    if (text.length > longest) break;
  }
  return text.replace(/^\uFEFF/, '');
}
