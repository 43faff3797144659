/** `boh auth login`: gets a token through the browser or from standard input, and stores it in a profile. */

import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Option } from 'commander';
import { canListen, withPort } from '../../auth/loopback-listener.ts';
import { usage } from '../../base/errors.ts';
import { describeReadError } from '../../base/file-errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { deployments } from '../../deployments/index.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { demoClient } from '../../sandbox/oauth/clients.ts';
import { sandboxFile } from '../../sandbox/store/sandbox-files.ts';
import type { Flags } from '../../settings/layers.ts';
import { parseClientSecret, parseToken, Secret } from '../../settings/secret.ts';
import type { Settings } from '../../settings/settings.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { startServing } from '../sandbox/serving.ts';
import { withSandboxFile } from '../sandbox/with-sandbox.ts';
import { completeTarget } from './required-settings.ts';
import { type App, type ApprovalOptions, askHowToSignIn, signIn, validateWith } from './sign-in.ts';
import { storeSettings, storeToken } from './store-token.ts';
import { findTarget, type SignInTarget } from './target.ts';

type ServiceFlag =
  | ('like' | 'authorizeUrl' | 'tokenUrl' | 'redirectUri' | 'clientId' | 'scopes')
  | ('oauthBody' | 'oauthClientAuth' | 'oauthPkce');

const kinds = deployments.map(({ name }) => name);

interface LoginOptions extends ApprovalOptions, Pick<Flags, ServiceFlag> {
  port?: string;
  clientSecretFile?: string;
  withToken?: boolean;
}

const flags = [
  ['--like <kind>', `the kind of service, whose settings are the defaults: ${kinds.join(', ')}`],
  ['--with-token', 'read a token from standard input instead of using the browser'],
  ['--no-browser', "don't open a browser; paste the URL you are redirected to"],
  ['--client-id <id>', 'the client ID of your app'],
  ['--client-secret-file <file>', 'a file with the client secret (or set BOH_CLIENT_SECRET)'],
  ['--authorize-url <url>', 'the authorization URL'],
  ['--scopes <scopes>', 'the scopes to request, separated by commas or spaces'],
] as const;

const advancedFlags = [
  ['--token-url <url>', 'the token URL (default: {base-url}/oauth/token)'],
  ['--redirect-uri <url>', 'the redirect URI, exactly as registered'],
  ['--port <number>', 'the port of the redirect URI; 0 uses a free one'],
  ['--oauth-body <json|form>', 'format of the token request (default: json)'],
  ['--oauth-client-auth <body|basic>', 'how the token request sends client ID and secret'],
  ['--oauth-pkce <on|off>', 'use PKCE'],
  [
    '--allow-missing-state',
    'accept a response without the state parameter, as when you start in an app store',
  ],
] as const;

/** Returns the command `boh auth login`. */
export function loginCommand(context: Context): Command {
  const command = prepare(new Command('login'))
    .description(
      'Sign in through the browser, or store a token. On a terminal it asks for missing settings and stores them in the ' +
        'profile.',
    )
    .examples(
      'boh auth login --base-url https://api.example.com',
      'boh auth login --with-token --base-url https://api.example.com < token.txt',
      'boh auth login --sandbox',
    );
  for (const [names, about] of flags) command.addOption(new Option(names, about));
  command.group('Advanced:', ...advancedFlags.map(([names, about]) => new Option(names, about)));
  return command.action((options: LoginOptions) => login(options, context));
}

async function login(options: LoginOptions, context: Context): Promise<void> {
  const { browser, allowMissingState, port, clientSecretFile, withToken, ...serviceFlags } = options;
  const initialTarget = await findTarget(serviceFlags, context);
  const givenTarget = port === undefined ? initialTarget : withRedirectPort(initialTarget, port);
  if (givenTarget.settings.sandbox !== undefined && !withToken) {
    const token = await signInToSandbox(givenTarget.settings, options, context);
    return storeToken(givenTarget, token, context);
  }
  if (!withToken && !context.streams.interactive) return signInToService(givenTarget, options, context);
  const target = await completeTarget(givenTarget, ['base_url'], context);
  const { like, ...appFlags } = serviceFlags;
  const { clientId, clientSecret } = target.settings;
  const isApp =
    !browser ||
    (clientId ?? clientSecret ?? clientSecretFile ?? port) !== undefined ||
    Object.keys(appFlags).length > 0;
  const usesToken = withToken || (!isApp && (await askHowToSignIn(target.profile, context)) === 'token');
  if (!usesToken) return signInToService(target, options, context);
  await storeToken(target, await readPastedToken(context), context);
}

async function signInToService(
  initialTarget: SignInTarget,
  options: LoginOptions,
  context: Context,
): Promise<void> {
  const { clientSecretFile: file } = options;
  const targetWithSecret =
    file === undefined
      ? initialTarget
      : { ...initialTarget, newSecret: parseClientSecret(await readSecretFile(file)) };
  const required = ['base_url', 'authorize_url', 'client_id', 'scopes', 'client_secret'] as const;
  const target = await completeTarget(targetWithSecret, required, context);
  const token = await signIn(appOf(target), options, context);
  // The settings worked, so they are stored even if the token is refused.
  await storeSettings(target, context);
  await storeToken(target, token, context);
}

/** Returns the OAuth app of a target from `completeTarget`. */
function appOf({ settings, newSecret }: SignInTarget): App {
  const { authorizeUrl = '', tokenUrl = '', clientId = '', clientSecret = new Secret('') } = settings;
  return { ...settings, authorizeUrl, tokenUrl, clientId, clientSecret: newSecret ?? clientSecret };
}

function withRedirectPort(target: SignInTarget, text: string): SignInTarget {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw usage('--port must be a number from 0 to 65535.');
  const { redirectUri } = target.settings;
  if (canListen(redirectUri)) return target.withFlags({ redirectUri: withPort(redirectUri, port) });
  throw usage(`--port needs a redirect URI on this machine, not ${redirectUri}.`);
}

async function signInToSandbox(
  settings: Settings,
  approval: ApprovalOptions,
  context: Context,
): Promise<Secret> {
  const { sandbox: name = 'default', apiPrefix, redirectUri, scopes, source, timeoutMs } = settings;
  const { api, env, signal } = context;
  return withSandboxFile({ api, file: sandboxFile(env, name), apiPrefix, signal }, async (sandbox) => {
    const server = await startServing(sandbox, { port: 0, apiPrefix, isAutoApproved: false }, context);
    const app = {
      authorizeUrl: `${server.baseUrl}/authorize`,
      tokenUrl: `${server.baseUrl}/oauth/token`,
      clientId: demoClient.id,
      clientSecret: new Secret(demoClient.secret),
      // A sandbox accepts every local port, so a free port is used.
      redirectUri:
        source.redirect_uri === 'default' && approval.browser ? withPort(redirectUri, 0) : redirectUri,
      scopes,
      oauth: { body: 'json', clientAuth: 'body', pkce: true } as const,
      timeoutMs,
    };
    try {
      return await signIn(app, approval, context);
    } finally {
      await server.close();
    }
  });
}

/** The maximum length of a secret, in characters. A longer file is read only up to this length. */
const maxSecretCharacters = 65_536;

/** Reads the token of `--with-token` from standard input, or prompts for it on a terminal. */
async function readPastedToken({ streams }: Context): Promise<Secret> {
  if (!streams.isTerminal.in) return parseToken(await readSecretText(streams.stdin));
  if (!streams.interactive) {
    throw usage('--with-token needs the token on standard input, not a terminal.', {
      hint: boh.hint`To store it: ${boh.profile('auth login', '--with-token')} < FILE`,
    });
  }
  const prompts = await promptsFor(streams);
  return parseToken(await prompts.askHidden({ message: 'Token:', validate: validateWith(parseToken) }));
}

async function readSecretFile(path: string): Promise<string> {
  try {
    const file = await open(path);
    return await readSecretText(file.createReadStream());
  } catch (cause) {
    throw usage(`Can't read ${path}: ${describeReadError(cause)}.`, { cause });
  }
}

async function readSecretText(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxSecretCharacters) break;
  }
  return text.replace(/^\uFEFF/, '');
}
