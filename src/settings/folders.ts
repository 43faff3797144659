/** Where boh keeps its configuration and its caches on this machine. */
import type { Environment } from '../base/environment.ts';
import { ownFolder } from '../base/own-folders.ts';

/** `BOH_CONFIG_DIR`, else the platform's place for configuration (`~/.config/boh` on Linux). */
export function configFolder(environment: Environment): string {
  return ownFolder(environment, 'config');
}

/** `BOH_CONFIG_DIR/cache`, else the platform's place for caches (`~/.cache/boh` on Linux). */
export function cacheFolder(environment: Environment): string {
  return ownFolder(environment, 'cache');
}
