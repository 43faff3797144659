/** The flags of `sandbox serve` and `sandbox run` that determine the kind of service that the sandbox imitates. */
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { deployedApi } from '../../deployments/deployment.ts';
import { requireDeployment } from '../../deployments/index.ts';
import type { SandboxOptions } from '../../sandbox/service.ts';
import type { Variant } from '../../sandbox/variant.ts';
import { parseApiPrefix } from '../../settings/parse-urls.ts';
import { report } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';

/** The values of the flags. */
export interface DeploymentFlags {
  like?: string | undefined;
  strictRequests?: boolean;
}

/** Adds the flags to a command. */
export function addDeploymentOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--like <name>',
        'imitate this kind of service, such as foodics-v5 (default: the API document)',
      ),
    )
    .option(
      '--strict-requests',
      'refuse requests that differ from the API document, such as unknown fields, to test your own client',
    );
}

/** The options that determine the kind of service, for opening a sandbox. */
type DeploymentOptions = Pick<SandboxOptions, 'api' | 'variant' | 'defaults' | 'onIgnoredFields'> & {
  apiPrefix: string;
  /** The name of the preset. */
  like: string | undefined;
};

/** Returns the options. `apiPrefix` goes before that of the preset. `variant` goes before stored settings, and these before those of the preset. */
export async function deploymentOptions(
  { like, apiPrefix, strictRequests }: DeploymentFlags & { apiPrefix?: string | undefined },
  variant: Partial<Variant>,
  { api, globals, streams }: Context,
): Promise<DeploymentOptions> {
  const deployment = like ? requireDeployment(like) : undefined;
  return {
    api: await deployedApi(api, deployment),
    apiPrefix: parseApiPrefix(apiPrefix ?? deployment?.settings.api_prefix ?? ''),
    like: deployment?.name,
    variant: { ...variant, ...(strictRequests && { 'wire.requests': 'strict' }) },
    defaults: { 'wire.requests': 'lenient', ...deployment?.variant },
    onIgnoredFields: globals.verbose
      ? ({ method, target }, names) =>
          report(streams, `${method} ${target.split('?', 1)[0]}: ignored unknown fields: ${names.join(', ')}`)
      : undefined,
  };
}
