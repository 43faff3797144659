/** The flags of `sandbox serve` and `sandbox run` that determine the kind of service that the sandbox imitates. */
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { deployedApi } from '../../deployments/deployment.ts';
import { requireDeployment } from '../../deployments/index.ts';
import { checkSettings } from '../../sandbox/business/settings.ts';
import type { SandboxOptions } from '../../sandbox/service.ts';
import { type Variant, variantNames } from '../../sandbox/variant.ts';
import { parseApiPrefix } from '../../settings/parse-urls.ts';
import { report } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { repeatable } from '../flags/shared-flags.ts';
import { parseChanges } from './settings.ts';

/** The values of the flags. */
export interface DeploymentFlags {
  like?: string | undefined;
  strictRequests?: boolean;
  variant: string[];
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
    .addOption(
      repeatable(
        '--variant <name=value>',
        'behave like another deployment; to list variants: boh sandbox settings --help (repeatable)',
      ).default([], 'none'),
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

/**
 * Returns the options. `apiPrefix` goes before that of the preset. Variants go before stored settings, and these before
 * those of the preset. Throws one usage failure with all problems of variants.
 */
export async function deploymentOptions(
  { like, apiPrefix, strictRequests, variant: pairs }: DeploymentFlags & { apiPrefix?: string | undefined },
  { api, globals, streams }: Context,
): Promise<DeploymentOptions> {
  const variant: Partial<Variant> = parseChanges(pairs);
  checkSettings(variant, variantNames);
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
