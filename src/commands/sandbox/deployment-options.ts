/** The flags of `sandbox serve` and `sandbox run` that determine the kind of service that the sandbox imitates. */
import type { Context } from '../../context/context.ts';
import type { SandboxOptions } from '../../sandbox/service.ts';
import type { Variant } from '../../sandbox/variant.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { report } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';

/** The values of the flags. */
export interface DeploymentFlags {
  strictRequests?: boolean;
}

/** Adds the flags to a command. */
export function addDeploymentOptions(command: Command): Command {
  return command.option(
    '--strict-requests',
    'refuse requests that differ from the API document, such as unknown fields, to test your own client',
  );
}

/** Returns the options for opening the sandbox. `variant` overrides all other settings. */
export function deploymentOptions(
  { strictRequests }: DeploymentFlags,
  variant: Partial<Variant>,
  { globals, streams }: Context,
): Pick<SandboxOptions, 'variant' | 'defaults' | 'onIgnoredFields'> {
  return {
    variant: { ...variant, ...(strictRequests && { 'wire.requests': 'strict' }) },
    defaults: { 'wire.requests': 'lenient' },
    onIgnoredFields: globals.verbose
      ? ({ method, target }, names) =>
          report(
            streams,
            cleanLine(`${method} ${target.split('?', 1)[0]}: ignored unknown fields: ${names.join(', ')}`),
          )
      : undefined,
  };
}
