/** `boh sandbox serve`: serves a sandbox over HTTP until it is stopped. */

import { once } from 'node:events';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { scopeNames } from '../../contract/scope.ts';
import { chooseFormat } from '../../output/choose-format.ts';
import { present } from '../../output/present.ts';
import { setBranchCount } from '../../sandbox/demo/branches.ts';
import { demoClient } from '../../sandbox/oauth/clients.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import { parsePageUrl, parseRedirectUri } from '../../settings/parse-urls.ts';
import { note } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { addApplyOption, applyManifests } from './apply-manifests.ts';
import { branchesOption } from './branches-option.ts';
import { addDeploymentOptions, type DeploymentFlags, deploymentOptions } from './deployment-options.ts';
import { readPlanFile, setFaults } from './faults.ts';
import { startServing, startWebhook } from './serving.ts';
import {
  type NamedOptions,
  nameOption,
  sandboxFileOf,
  sandboxName,
  withSandboxFile,
} from './with-sandbox.ts';

interface ServeOptions extends NamedOptions, DeploymentFlags {
  port: number;
  memory?: boolean;
  durable?: boolean;
  faults?: string;
  autoApprove?: boolean;
  strict?: boolean;
  redirectUri?: string;
  webhook?: string;
  branches?: number;
  apply: string[];
}

/** Returns the command `boh sandbox serve`. */
export function serveCommand(context: Context): Command {
  return addDeploymentOptions(addApplyOption(prepare(new Command('serve'))))
    .description('Serve a sandbox on 127.0.0.1 until stopped. Prints its URL once it accepts requests.')
    .addOption(new Option('--port <port>', 'the port; 0 uses a free one').argParser(parsePort).default(4010))
    .addOption(nameOption())
    .addOption(new Option('--memory', 'a temporary sandbox in memory').conflicts('name'))
    .addOption(
      new Option('--durable', 'flush each change to the disk, so that it survives a power failure').conflicts(
        'memory',
      ),
    )
    .addOption(branchesOption())
    .addOption(new Option('--faults <file>', 'inject the faults of this file (boh sandbox faults)'))
    .addOption(new Option('--auto-approve', 'approve every app automatically'))
    .addOption(new Option('--strict', 'accept only the sign-in that the API document describes'))
    .addOption(
      new Option(
        '--webhook <url>',
        'post an event to this URL after each change; signed with BOH_WEBHOOK_SECRET',
      ).argParser(parsePageUrl),
    )
    .addOption(
      new Option(
        '--redirect-uri <url>',
        'the registered redirect URI of the app, https allowed (default: any http URL of this machine)',
      ).argParser(parseRedirectUri),
    )
    .examples(
      'boh sandbox serve --port 0 -o json',
      'boh sandbox serve --like foodics-v5 --memory',
      'boh sandbox serve --variant wire.relations=absent --variant wire.put=replace',
    )
    .action((options: ServeOptions) => runServer(options, context));
}

async function runServer(options: ServeOptions, context: Context): Promise<void> {
  const { streams, signal, env, globals } = context;
  const isForPeople = (await chooseFormat(context, 'anyone')).isForPeople;
  const plan = options.faults === undefined ? undefined : await readPlanFile(options.faults, context);
  const deploymentFlags = {
    ...options,
    like: options.like ?? env.BOH_LIKE,
    apiPrefix: globals.apiPrefix ?? env.BOH_API_PREFIX,
  };
  const deployment = await deploymentOptions(deploymentFlags, context);
  const { apiPrefix } = deployment;
  const file = options.memory ? ':memory:' : await sandboxFileOf(context, options);
  const sandboxOptions = { ...deployment, file, isDurable: options.durable, signal };
  await withSandboxFile(sandboxOptions, async (sandbox) => {
    if (options.branches !== undefined) setBranchCount(sandbox, options.branches);
    await applyManifests(sandbox, options.apply, context, apiPrefix);
    if (plan) await setFaults(sandbox, plan, context);
    const [isAutoApproved, isStrict] = [options.autoApprove === true, options.strict === true];
    const { port, redirectUri } = options;
    const serverOptions = { port, apiPrefix, isAutoApproved, isStrict, redirectUri };
    const name = options.memory ? 'in memory' : `"${await sandboxName(context, options)}"`;
    // Only programs get a token.
    const credentials = isForPeople ? undefined : await createCredentials(sandbox, context);
    const webhook =
      options.webhook === undefined ? undefined : await startWebhook(sandbox, options.webhook, context);
    const server = await startServing(sandbox, serverOptions, context);
    try {
      const { baseUrl } = server;
      const data = {
        base_url: baseUrl,
        ...(credentials && { authorize_url: `${baseUrl}/authorize`, ...credentials }),
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
async function createCredentials(sandbox: Sandbox, { signal }: Context): Promise<object> {
  return {
    client_id: demoClient.id,
    client_secret: demoClient.secret,
    token: await sandbox.whenUnlocked(() => sandbox.createToken({ scopes: scopeNames }), { signal }),
  };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw usage(`${text} isn't a port. Use a number from 0 to 65535.`);
  return port;
}
