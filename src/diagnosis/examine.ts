/** All that has to be right for a command to work, looked at in the order in which one thing rests on another. */
import type { Settings } from '../settings/settings.ts';
import { checkConfiguration } from './configuration.ts';
import { type Finding, skipped } from './finding.ts';
import { checkNode } from './machine.ts';
import type { Surroundings } from './surroundings.ts';

/** Sends a few requests, where there is a service to ask. Throws only what is a bug. */
export async function examine(around: Surroundings): Promise<Finding[]> {
  const { findings, settings } = await checkConfiguration(around);
  const { checkSandboxes } = await import('./sandboxes.ts');
  return [
    checkNode(),
    ...findings,
    ...(settings ? await examineService(settings, around) : []),
    ...(await checkSandboxes(settings?.sandbox, around)),
  ];
}

async function examineService(settings: Settings, around: Surroundings): Promise<Finding[]> {
  const { baseUrl, sandbox } = settings;
  if (sandbox !== undefined) return [skipped('Network', 'a sandbox needs none')];
  if (baseUrl === undefined) return [skipped('Network', 'the address of a service has to be set first')];
  if (around.offline) return [skipped('Network', '--dry-run sends nothing')];
  const { checkService } = await import('./service.ts');
  return checkService(settings, baseUrl, around);
}
