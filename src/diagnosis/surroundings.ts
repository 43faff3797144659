/** What a diagnosis looks at. */
import type { Api } from '../contract/api.ts';
import type { Environment } from '../environment.ts';
import type { Flags } from '../settings/layers.ts';

export interface Surroundings {
  api: Api;
  env: Environment;
  /** What the command line says about settings. */
  flags: Flags;
  /** Nothing is sent: what the service would say is not known. */
  offline: boolean;
  signal: AbortSignal;
  now(): Date;
}
