/** Determines the folder of sandbox files, and checks the names of sandboxes. */
import { join } from 'node:path';
import { appFolder } from '../../base/app-folders.ts';
import { usage } from '../../base/errors.ts';

/** The names of sandboxes and snapshots. */
export const sandboxNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * Returns the folder of sandbox files: `BOH_CONFIG_DIR/sandboxes`, or the platform's folder for user data
 * (`~/.local/share/boh/sandboxes` on Linux, or under `XDG_DATA_HOME`).
 */
export function sandboxFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(appFolder(environment, 'data'), 'sandboxes');
}

/** Returns the file of a sandbox. Throws a usage failure for an invalid name, so that the file is always in the folder. */
export function sandboxFile(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  if (!sandboxNamePattern.test(name)) {
    throw usage(`"${name}" isn't a valid name for a sandbox.`, {
      hint: 'Use at most 64 letters, digits, - and _, such as "demo" or "branch-2".',
    });
  }
  return join(sandboxFolder(environment), `${name}.sqlite`);
}
