/** `boh auth login`: gets a token through the browser or from standard input, checks it, and stores it in a profile. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { canListen, withPort } from '../../../account/auth/loopback-listener.ts';
import type { Account } from '../../../account/session/account.ts';
import { openSignInAnswers } from '../../../account/settings/caches.ts';
import { findProfile, type Profile, putProfile, signOut } from '../../../account/settings/config.ts';
import { refusalOf } from '../../../account/settings/refused-tokens.ts';
import { parseClientSecret, parseToken, Secret } from '../../../account/settings/secret.ts';
import { endpointName, type Settings } from '../../../account/settings/settings.ts';
import type { Api } from '../../../api/contract/api.ts';
import { operation } from '../../../api/contract/operation.ts';
import { deployments } from '../../../api/deployments/index.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { describeReadError } from '../../../base/file-errors.ts';
import { boh, joinHints } from '../../../base/hint.ts';
import { demoClient } from '../../../sandbox/oauth/clients.ts';
import { sandboxFile } from '../../../sandbox/store/sandbox-files.ts';
import type { Context } from '../../context/context.ts';
import { askToContinue } from '../../prompts/confirm.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { note, warn } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { changeStoredSettings } from '../config.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { startServing } from '../sandbox/serve.ts';
import { withSandboxFile } from '../sandbox/with-sandbox.ts';
import { type App, type ApprovalOptions, askHowToSignIn, signIn, validateWith } from './sign-in.ts';
import { completeTarget, findTarget, type SignInTarget } from './target.ts';

const kinds = deployments.map(({ name }) => name);

const loginFlags = [
  ['--like <kind>', `the kind of service, whose settings are the defaults: ${kinds.join(', ')}`],
  ['--with-token', 'read a token from standard input instead of using the browser'],
  ['--no-browser', "don't open a browser; paste the URL you are redirected to"],
  ['--client-id <id>', 'the client ID of your app'],
  ['--client-secret-file <file>', 'a file with the client secret (or set BOH_CLIENT_SECRET)'],
  ['--authorize-url <url>', 'the authorization URL'],
  ['--scopes <scopes>', 'the scopes to request, separated by commas or spaces'],
  ...under('Advanced:', [
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
  ]),
] as const;

type LoginOptions = FlagsOf<typeof loginFlags>;

export function loginCommand(context: Context): Command {
  return createCommand(context, {
    name: 'login',
    summary: 'Sign in through the browser, or store a token',
    about:
      'Sign in through the browser, or store a token. On a terminal it asks for missing settings and stores them in the ' +
      'profile.',
    flags: loginFlags,
    examples: [
      'boh auth login --base-url https://api.example.com',
      'boh auth login --with-token --base-url https://api.example.com < token.txt',
      'boh auth login --sandbox',
    ],
    run: (_, flags) => login(flags, context),
  });
}

async function login(options: LoginOptions, context: Context): Promise<void> {
  const { browser = true, allowMissingState, port, clientSecretFile, withToken, ...serviceFlags } = options;
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
        source.redirect_uri === 'default' && approval.browser !== false
          ? withPort(redirectUri, 0)
          : redirectUri,
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

/**
 * Stores the settings of a sign-in before its token. It doesn't change a profile that already has a token: the new token
 * may turn out to be for another business.
 */
async function storeSettings(
  { profile, valuesToStore, newSecret }: SignInTarget,
  context: Context,
): Promise<void> {
  await changeStoredSettings(context, (config) =>
    findProfile(config, profile)?.token !== undefined
      ? config
      : putProfile(config, profile, (currentProfile) => ({
          ...currentProfile,
          ...valuesToStore,
          ...(newSecret && { client_secret: newSecret }),
        })),
  );
}

/** Checks and stores a token. Throws without storing it if the service refuses it; `--unchecked` skips the check. */
async function storeToken(givenTarget: SignInTarget, token: Secret, context: Context): Promise<void> {
  const { target, account } = context.globals.unchecked
    ? { target: givenTarget, account: undefined }
    : await findAccount(givenTarget, token, context);
  const { profile, valuesToStore, newSecret } = target;
  await confirmBusiness(target, account, context);
  const { active } = await changeStoredSettings(context, (config) => {
    const changedConfig = putProfile(config, profile, (currentProfile) => ({
      ...currentProfile,
      ...valuesToStore,
      ...(newSecret && { client_secret: newSecret }),
    }));
    // Signing out removes what the profile stores about the old token.
    return putProfile(signOut(changedConfig, profile), profile, (currentProfile) => ({
      ...currentProfile,
      token,
      ...accountFields(account),
    }));
  });
  openSignInAnswers(context.env, profile).forget();
  notifyStored(profile, account, active === profile, context);
  if (context.env.BOH_TOKEN && target.settings.sandbox === undefined) {
    warn(
      context.streams,
      `BOH_TOKEN is set and overrides the new token. Unset it, or add --profile ${profile}.`,
    );
  }
}

/** The prefixes that services use: `whoami` is looked for under them if it isn't under the base URL. */
const commonPrefixes = ['/v5', '/api'];

/** Returns the account of a token, and the target with the prefix under which it was found. The base URL never changes. */
async function findAccount(
  target: SignInTarget,
  token: Secret,
  context: Context,
): Promise<{ target: SignInTarget; account: Account }> {
  const { sandbox, source } = target.settings;
  const isPrefixOpen = sandbox === undefined && (source.api_prefix ?? 'default') === 'default';
  let firstFailure: Failure | undefined;
  for (const apiPrefix of [undefined, ...(isPrefixOpen ? commonPrefixes : [])]) {
    const candidate =
      apiPrefix === undefined ? target : { ...target.withFlags({ apiPrefix }), newSecret: target.newSecret };
    try {
      const account = await checkToken(candidate, token, context);
      if (apiPrefix !== undefined)
        note(context.streams, `The API is under ${apiPrefix} (api_prefix), as \`whoami\` shows.`);
      return { target: candidate, account };
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'not_found') throw error;
      firstFailure ??= error;
    }
  }
  throw firstFailure;
}

/** Returns the account of a token; empty if the token isn't allowed to read it. The token may still allow other commands. */
async function checkToken({ settings }: SignInTarget, token: Secret, context: Context): Promise<Account> {
  const settingsWithToken = { ...settings, token, tokenScopes: undefined };
  refusalOf(settingsWithToken, context.env).forget();
  const session = await context.sessionFor(settingsWithToken);
  try {
    return await session.whoami();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.category === 'not_allowed') return {};
    const { category, details, message } = error;
    const hint =
      category === 'not_signed_in'
        ? `The token may be incomplete, or not for ${endpointName(settings)}.`
        : joinHints('\n', details.hint, 'To store the token without checking it, add --unchecked.');
    throw new Failure(category, `${message} The token was not stored.`, { ...details, hint });
  }
}

/** Asks for confirmation before the token of another business replaces the token of a profile. */
async function confirmBusiness(
  { profile, storedProfile }: SignInTarget,
  { businessId, businessName }: Account = {},
  { globals, streams }: Context,
): Promise<void> {
  const isOtherBusiness =
    storedProfile.business_id !== undefined && businessId !== undefined
      ? storedProfile.business_id !== businessId
      : storedProfile.business_name !== undefined &&
        businessName !== undefined &&
        storedProfile.business_name !== businessName;
  if (!isOtherBusiness || globals.yes) return;
  const currentBusiness = storedProfile.business_name ?? storedProfile.business_id;
  const newBusiness = businessName ?? businessId;
  const conflict = `Profile ${profile} is for ${currentBusiness}, and this token is for ${newBusiness}.`;
  if (!streams.interactive) {
    throw usage(`${conflict} The token was not stored.`, {
      hint: 'Use another profile with --profile NAME, or add --yes to change this one.',
    });
  }
  const unchangedNote = 'The token was not stored, and the profile was not changed.';
  await askToContinue(`${conflict} Change the profile to ${newBusiness}?`, { streams }, unchangedNote);
}

function notifyStored(
  profile: string,
  account: Account | undefined,
  isActive: boolean,
  { api, streams }: Context,
): void {
  const message = account
    ? signedInMessage(account)
    : boh.hint`The token was not checked. To check it: ${boh.profile('auth status', '--check')}`;
  note(streams, message);
  const useHint = boh.hint` To use it, add --profile ${profile}, or run: ${boh.plain('profiles use', profile)}`;
  note(streams, [`The token is stored in profile ${profile}.`, isActive ? '' : useHint]);
  const start = boh.forProfile(isActive ? undefined : profile, firstCommand(api, account?.scopes));
  note(streams, ['To start: ', start]);
}

/** Returns the first list that a token with these scopes may read. */
function firstCommand({ collections }: Api, scopes: readonly string[] = ['*']): string {
  const lists = collections.flatMap((resource) => operation(resource, 'list') ?? []);
  const allowed = lists.find(
    (list) => scopes.includes('*') || list.scopes.some((scope) => scopes.includes(scope)),
  );
  return allowed ? `${allowed.resource.command} list` : 'auth scopes';
}

/** Returns a message such as "Signed in as Sara Al-Amin of Fresh Farms, with 2 scopes: general.read, users.read." */
function signedInMessage({ userName, businessName, scopes }: Account): string {
  const user = userName === undefined ? '' : ` as ${userName}`;
  const business = businessName === undefined ? '' : ` of ${businessName}`;
  const count = scopes?.length === 1 ? '1 scope' : `${scopes?.length} scopes`;
  return `Signed in${user}${business}${scopes ? `, with ${count}: ${scopes.join(', ')}` : ''}.`;
}

export function accountFields(
  account: Account = {},
): Pick<Profile, 'user_name' | 'business_id' | 'business_name' | 'token_scopes'> {
  return {
    ...(account.userName !== undefined && { user_name: account.userName }),
    ...(account.businessId !== undefined && { business_id: account.businessId }),
    ...(account.businessName !== undefined && { business_name: account.businessName }),
    ...(account.scopes !== undefined && { token_scopes: [...account.scopes] }),
  };
}
