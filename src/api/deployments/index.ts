/** Lists the presets. To add one, add its file and list it here. */
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import { apiDocument } from './api-document.ts';
import type { Deployment } from './deployment.ts';
import { foodicsV5 } from './foodics-v5.ts';

/** All presets, the defaults first. */
export const deployments: readonly Deployment[] = [apiDocument, foodicsV5];

/** Returns the preset with this name, in any case; undefined if there is none. */
export function findDeployment(name: unknown): Deployment | undefined {
  return deployments.find((candidate) => candidate.name === String(name).trim().toLowerCase());
}

/** Returns the preset with this name. Throws a usage failure that lists the names. */
export function requireDeployment(name: string): Deployment {
  const deployment = findDeployment(name);
  if (deployment) return deployment;
  const names = deployments.map((candidate) => candidate.name);
  throw usage(
    `Unknown kind of service "${name}". Expected one of ${names.join(', ')}.${didYouMean(name, names)}`,
  );
}
