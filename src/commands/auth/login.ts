/** `boh auth login`: from an address and an app to a token that works, kept in a profile. */
import { Command, Option } from 'commander';
import { canListen, withPort } from '../../auth/loopback-listener.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import type { Way } from '../../interaction/sign-in/approval.ts';
import type { App } from '../../interaction/sign-in/sign-in.ts';
import type { Flags } from '../../settings/layers.ts';
import { Secret } from '../../settings/secret.ts';
import { prepare } from '../prepare.ts';
import { keepSettings, keepToken } from './keep-token.ts';
import { completeTarget } from './needs.ts';
import { readClientSecretFile, readPastedToken } from './read-secrets.ts';
import { findTarget, type SignInTarget } from './target.ts';

type OfService =
  | ('authorizeUrl' | 'tokenUrl' | 'redirectUri' | 'clientId' | 'scopes')
  | ('oauthBody' | 'oauthClientAuth' | 'oauthPkce');

interface LoginOptions extends Way, Pick<Flags, OfService> {
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
    const { signInToSandbox } = await import('./sign-in-to-sandbox.ts');
    return keepToken(target, await signInToSandbox(target.settings, options, context), context);
  }
  await signInToService(target, options, context);
}

async function signInToService(given: SignInTarget, options: LoginOptions, context: Context): Promise<void> {
  const { clientSecretFile: file } = options;
  const withFile = file === undefined ? given : { ...given, newSecret: await readClientSecretFile(file) };
  const needs = ['base_url', 'authorize_url', 'client_id', 'scopes', 'client_secret'] as const;
  const target = await completeTarget(withFile, needs, context);
  const { signIn } = await import('../../interaction/sign-in/sign-in.ts');
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
