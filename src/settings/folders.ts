/** Where boh keeps its configuration and its caches on this machine. */
import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import type { Environment } from '../environment.ts';
import { variable } from './layers.ts';

/** `BOH_CONFIG_DIR`, else the platform's place for configuration (`~/.config/boh` on Linux). */
export function configFolder(environment: Environment): string {
  const chosen = variable(environment, 'BOH_CONFIG_DIR');
  return chosen === undefined ? envPaths('boh', { suffix: '' }).config : resolve(chosen);
}

/** The caches move with the configuration, so that `BOH_CONFIG_DIR` leaves nothing behind elsewhere. */
export function cacheFolder(environment: Environment): string {
  const chosen = variable(environment, 'BOH_CONFIG_DIR');
  return chosen === undefined ? envPaths('boh', { suffix: '' }).cache : join(resolve(chosen), 'cache');
}
