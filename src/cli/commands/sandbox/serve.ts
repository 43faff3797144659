/** `boh sandbox serve`: serves a sandbox over HTTP until it is stopped. Also opens and serves sandboxes for `sandbox run`. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { parseApiPrefix, parsePageUrl, parseRedirectUri } from '../../../account/settings/parse-urls.ts';
import { scopeNames } from '../../../api/contract/scope.ts';
import { deployedApi } from '../../../api/deployments/deployment.ts';
import { requireDeployment } from '../../../api/deployments/index.ts';
import { openApiDocument } from '../../../api/reference/openapi.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { readManifests } from '../../../engine/manifest/declared/read-manifests.ts';
import { newToken } from '../../../sandbox/access/tokens.ts';
import { checkSettings, settings, type Variant, variantNames } from '../../../sandbox/business/settings.ts';
import { parseTime } from '../../../sandbox/control/operations.ts';
import { maxBranches, setBranchCount } from '../../../sandbox/demo/from-contract.ts';
import { demoClient } from '../../../sandbox/oauth/clients.ts';
import type { ServedSandbox } from '../../../sandbox/server/listen.ts';
import type { Sandbox, SandboxOptions } from '../../../sandbox/service.ts';
import { applyDeclaration, controlServices } from '../../../testing/apply.ts';
import type { Context } from '../../context/context.ts';
import { chooseFormat } from '../../output/choose-format.ts';
import { present } from '../../output/present.ts';
import { unguardCell } from '../../terminal/formats/csv.ts';
import { note, report, warn } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, orNone, repeated } from '../flags/flag-table.ts';
import { countRecords } from '../manifest/show-plan.ts';
import { readPlanFile, setFaults } from './faults.ts';
import { nameFlag, sandboxFileOf, sandboxName, withSandboxFile } from './with-sandbox.ts';

/** The flag that creates a sandbox with a number of branches. */
export const branchesFlag = [
  '--branches <number>',
  'number of branches',
  {
    parse: (text: string) => {
      if (/^[1-9]\d*$/.test(text) && Number(text) <= maxBranches) return Number(text);
      throw new InvalidArgumentError(`Expected a whole number from 1 to ${maxBranches}.`);
    },
  },
] as const;

export const faultsFlag = ['--faults <file>', 'inject the faults of this file (boh sandbox faults)'] as const;

/** The flags of `sandbox serve` and `sandbox run` for the kind of service and its first records. */
export const deploymentFlags = [
  [
    '--apply <path>',
    'apply this file or folder first, as boh apply does (repeatable)',
    { ...repeated, ...orNone },
  ],
  ['--like <name>', 'imitate this kind of service, such as foodics-v5 (default: the API document)'],
  [
    '--variant <name=value>',
    'behave like another deployment; "strict" also refuses empty requests and unknown words; to list variants: boh sandbox settings --help (repeatable)',
    { ...repeated, ...orNone },
  ],
  [
    '--strict-requests',
    'refuse requests that differ from the API document, such as unknown fields, to test your own client',
  ],
  [
    '--clock <time>',
    'stop the clock at this time, such as "2030-01-01 12:00:00" in UTC',
    { parse: parseTime },
  ],
] as const;

/** Returns the flag for IDs that are the same in every run. */
export const seedFlag = (defaultSeed?: number) =>
  [
    '--random-seed <number>',
    'IDs follow from this number and the natural keys of records, or else from the order of requests',
    { parse: parseSeed, ...(defaultSeed !== undefined && { default: defaultSeed }) },
  ] as const;

function parseSeed(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usage(`--random-seed ${text} isn't a whole number.`);
}

/** Returns the flag of the port. */
export const portFlag = (defaultPort: number) =>
  ['--port <port>', 'the port; 0 uses a free one', { parse: parsePort, default: defaultPort }] as const;

const serveFlags = [
  ...deploymentFlags,
  seedFlag(),
  portFlag(4010),
  [
    '--host <address>',
    'the address to listen on; 0.0.0.0 for other machines and containers',
    { default: '127.0.0.1' },
  ],
  [
    '--allow-host <name>',
    'a host name under which clients reach the server, such as the name of its container (repeatable)',
    { ...repeated, ...orNone },
  ],
  nameFlag,
  ['--memory', 'a temporary sandbox in memory', { conflicts: 'name' }],
  ['--empty', 'create the sandbox without the demo business'],
  [
    '--durable',
    'flush each change to the disk, so that it survives a power failure',
    { conflicts: 'memory' },
  ],
  branchesFlag,
  faultsFlag,
  ['--auto-approve', 'approve every app automatically'],
  ['--strict', 'accept only the sign-in that the API document describes'],
  [
    '--webhook <url>',
    'post an event to this URL after each change; signed with BOH_WEBHOOK_SECRET',
    { parse: parsePageUrl },
  ],
  [
    '--redirect-uri <url>',
    'the registered redirect URI of the app, https allowed (default: any http URL of this machine)',
    { parse: parseRedirectUri },
  ],
] as const;

export function serveCommand(context: Context): Command {
  return createCommand(context, {
    name: 'serve',
    summary: 'Serve a sandbox over HTTP',
    about: 'Serve a sandbox over HTTP until stopped. Prints its URL once it accepts requests.',
    flags: serveFlags,
    examples: [
      'boh sandbox serve --port 0 -o json',
      'boh sandbox serve --like foodics-v5 --memory',
      'boh sandbox serve --variant wire.relations=absent --variant wire.put=replace',
    ],
    run: (_, flags) => runServer(flags, context),
  });
}

async function runServer(options: FlagsOf<typeof serveFlags>, context: Context): Promise<void> {
  const { streams, signal, env, globals } = context;
  const tokens = tokensOf(env);
  const isForPeople = (await chooseFormat(context, 'anyone')).isForPeople;
  const plan = options.faults === undefined ? undefined : await readPlanFile(options.faults, context);
  const apiPrefixOfUser = globals.apiPrefix ?? env.BOH_API_PREFIX;
  const defaults = { like: env.BOH_LIKE, apiPrefix: apiPrefixOfUser };
  const deployment = await deploymentOptions(options, context, defaults);
  const { apiPrefix } = deployment;
  const file = options.memory ? ':memory:' : await sandboxFileOf(context, options);
  const isNew = !options.memory && !existsSync(file);
  const { empty, durable: isDurable } = options;
  if (empty && !options.memory && !isNew) {
    throw usage('--empty is only for a new sandbox.', {
      hint: 'To empty this one: boh sandbox reset --empty',
    });
  }
  const sandboxOptions = { ...deployment, file, isDurable, empty, signal };
  await withSandboxFile(sandboxOptions, async (sandbox) => {
    if (options.branches !== undefined) setBranchCount(sandbox, options.branches);
    await applyManifests(sandbox, options.apply, context);
    if (plan) await setFaults(sandbox, plan, context);
    const [isAutoApproved, isStrict] = [options.autoApprove === true, options.strict === true];
    const { port, host, allowHost: allowedHosts, redirectUri } = options;
    const { control: controlToken = newToken() } = tokens;
    const serverOptions = {
      ...{ port, host, allowedHosts, apiPrefix, isAutoApproved, isStrict, redirectUri, controlToken },
    };
    const name = options.memory ? 'in memory' : `"${await sandboxName(context, options)}"`;
    if (isNew)
      note(streams, `Created the sandbox ${name} ${empty ? 'without records' : 'with the demo business'}.`);
    // Only programs get a token.
    const credentials =
      isForPeople && !tokens.api ? undefined : await createCredentials(sandbox, tokens, context);
    const webhook =
      options.webhook === undefined ? undefined : await startWebhook(sandbox, options.webhook, context);
    const server = await startServing(sandbox, serverOptions, context);
    try {
      const { baseUrl } = server;
      const data = {
        base_url: baseUrl,
        ...(!isForPeople && {
          authorize_url: `${baseUrl}/authorize`,
          ...credentials,
          control_url: `${baseUrl}/_boh`,
          control_token: controlToken,
        }),
      };
      async function* liveEvents() {
        yield { data, line: `The sandbox ${name} is ready at ${baseUrl}` };
        if (isForPeople) note(streams, 'Open this URL to watch requests. Press Ctrl-C to stop.');
        if (!signal.aborted) await once(signal, 'abort');
      }
      await present(context, { kind: 'live', events: liveEvents() });
    } finally {
      await server.close();
      await webhook?.close();
    }
  });
}

/** Returns the credentials for programs. The token belongs to the owner and has all scopes. */
async function createCredentials(
  sandbox: Sandbox,
  { api: token }: { api?: string },
  { signal }: Context,
): Promise<object> {
  return {
    client_id: demoClient.id,
    client_secret: demoClient.secret,
    token: await sandbox.whenUnlocked(
      () => sandbox.createToken({ scopes: scopeNames, ...(token && { token }) }),
      { signal },
    ),
  };
}

/** Returns the tokens that are known before the start. */
function tokensOf({ BOH_SANDBOX_TOKEN, BOH_SANDBOX_CONTROL_TOKEN }: Context['env']) {
  return {
    ...parseToken('api', 'BOH_SANDBOX_TOKEN', BOH_SANDBOX_TOKEN),
    ...parseToken('control', 'BOH_SANDBOX_CONTROL_TOKEN', BOH_SANDBOX_CONTROL_TOKEN),
  };
}

function parseToken<Name extends string>(
  name: Name,
  variable: string,
  token = '',
): { [key in Name]?: string } {
  if (token === '') return {};
  if (/^[\w.~+/=-]{16,200}$/.test(token)) return { [name]: token } as { [key in Name]?: string };
  throw usage(`${variable} must have 16 to 200 letters, digits and - . _ ~ + / =.`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw usage(`${text} isn't a port. Use a number from 0 to 65535.`);
  return port;
}

/** The settings of `--variant strict`. */
const strictVariant: Partial<Variant> = {
  'wire.requests': 'strict',
  'wire.values': 'document',
  'wire.empty_requests': 'refused',
};

type DeploymentFlags = FlagsOf<typeof deploymentFlags> & { randomSeed?: number };

/** The options that determine the kind of service, for opening a sandbox. */
type DeploymentOptions = Pick<
  SandboxOptions,
  'api' | 'variant' | 'defaults' | 'fixedStart' | 'onIgnoredFields'
> & {
  apiPrefix: string;
  /** The name of the preset. */
  like: string | undefined;
};

/**
 * Returns the options. `defaults.apiPrefix` goes before that of the preset. Variants go before stored settings, and these before
 * those of the preset. Throws one usage failure with all problems of variants.
 */
export async function deploymentOptions(
  { like: requestedLike, strictRequests, variant: pairs, clock: time, randomSeed }: DeploymentFlags,
  { api, globals, streams }: Context,
  defaults: { like?: string | undefined; apiPrefix?: string | undefined } = {},
): Promise<DeploymentOptions> {
  const isStrict = pairs.includes('strict');
  const variant: Partial<Variant> = parseChanges(pairs.filter((pair) => pair !== 'strict'));
  checkSettings(variant, variantNames);
  const like = requestedLike ?? defaults.like;
  const deployment = like ? requireDeployment(like) : undefined;
  return {
    api: await deployedApi(api, deployment),
    apiPrefix: parseApiPrefix(defaults.apiPrefix ?? deployment?.settings.api_prefix ?? ''),
    like: deployment?.name,
    fixedStart: { time, randomSeed },
    variant: {
      ...(isStrict && strictVariant),
      ...variant,
      ...(strictRequests && { 'wire.requests': 'strict' }),
    },
    defaults: { 'wire.requests': 'lenient', ...deployment?.variant },
    onIgnoredFields: globals.verbose
      ? ({ method, target }, names) =>
          report(streams, `${method} ${target.split('?', 1)[0]}: ignored unknown fields: ${names.join(', ')}`)
      : undefined,
  };
}

/** Applies the files, without the user's settings. Throws if they are invalid or the sandbox rejects a record. */
export async function applyManifests(
  sandbox: Sandbox,
  paths: readonly string[],
  context: Context,
): Promise<void> {
  if (paths.length === 0) return;
  const { env, streams, signal } = context;
  const { api } = sandbox;
  const declaration = await readManifests({ paths, api, env, stdin: streams.stdin, unguardCell, signal });
  for (const declarationNote of declaration.notes ?? []) note(streams, declarationNote);
  const name = paths.join(', ');
  const plan = await applyDeclaration(sandbox, declaration, { env, signal, name });
  const { counts, unchanged } = countRecords(plan);
  const parts = [...counts].map(([action, count]) => `${count} ${action}d`);
  note(streams, `${name}: ${[...parts, `${unchanged} unchanged`].join(', ')}.`);
}

/** Options for the server of a sandbox. */
export interface ServingOptions {
  /** 0 for a free port. */
  port: number;
  host?: string;
  allowedHosts?: readonly string[];
  apiPrefix: string;
  /** Whether every app is approved without asking. */
  isAutoApproved: boolean;
  /** Whether only the sign-in that the API document describes is accepted. */
  isStrict?: boolean;
  /** The registered redirect URI. */
  redirectUri?: string | undefined;
  /** The token of the control over HTTP. Without one, the server has no control. */
  controlToken?: string;
}

/** Starts a server. Resolves once it accepts requests. */
export async function startServing(
  sandbox: Sandbox,
  options: ServingOptions,
  { env, signal, streams }: Context,
): Promise<ServedSandbox> {
  const { listen } = await import('../../../sandbox/server/listen.ts');
  const { apiPrefix, controlToken, ...serving } = options;
  return listen(sandbox, {
    ...serving,
    apiPrefix,
    control:
      controlToken === undefined
        ? undefined
        : { token: controlToken, env, services: controlServices(signal) },
    createOpenApi: (baseUrl) => openApiDocument(sandbox.api, { baseUrl, apiPrefix }),
    onUnexpectedError: (error) =>
      warn(streams, `Bug in the sandbox: ${error instanceof Error ? error.stack : error}`),
  });
}

/** How often orders of other processes are looked up, in milliseconds. */
const orderIntervalMs = 500;

/** The time limit of a request with an event, in milliseconds. */
const webhookTimeoutMs = 5000;

/** Starts posting events to a URL. Failures are reported on stderr. */
async function startWebhook(
  sandbox: Sandbox,
  url: string,
  { env, streams }: Context,
): Promise<{ close(): Promise<void> }> {
  const { Webhook } = await import('../../../sandbox/webhooks.ts');
  const { networkTransport } = await import('../../../account/client/network.ts');
  const send = networkTransport({ baseUrl: new URL(url).origin, timeoutMs: webhookTimeoutMs, env });
  const secret = env.BOH_WEBHOOK_SECRET || undefined;
  if (secret === undefined)
    note(streams, 'Events have no signature. To sign them, set BOH_WEBHOOK_SECRET to the secret.');
  const report = (message: string) => warn(streams, `Webhook: ${message}`);
  const webhook = new Webhook(sandbox, { url, secret, send, onFailure: report });
  const timer = setInterval(() => {
    try {
      webhook.postOrders();
    } catch (error) {
      // The file is locked or was replaced: the next try finds the same orders.
      if (!(error instanceof Failure)) throw error;
    }
  }, orderIntervalMs);
  return {
    close: () => {
      clearInterval(timer);
      return webhook.close();
    },
  };
}

/** Parses `NAME=VALUE` pairs, or `set NAME VALUE`. The sandbox checks names and values. */
export function parseChanges(words: readonly string[]): Record<string, unknown> {
  const pairs = words[0] === 'set' ? words.slice(1) : words;
  const [name = '', value = ''] = pairs;
  if (pairs.length === 2 && !name.includes('=') && !value.includes('='))
    return { [name]: parseNumber(value) };
  return Object.fromEntries(pairs.map(parsePair));
}

function parsePair(pair: string): [string, unknown] {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) {
    throw usage(`${pair} isn't NAME=VALUE.`, { hint: `Settings: ${Object.keys(settings).join(', ')}.` });
  }
  return [name, parseNumber(value)];
}

function parseNumber(text: string): unknown {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
