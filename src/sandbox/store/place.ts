/** Where the files of sandboxes are, and what a sandbox may be called. */
import { join } from 'node:path';
import { usage } from '../../base/errors.ts';
import { ownFolder } from '../../base/own-folders.ts';

const nameForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * `BOH_CONFIG_DIR/sandboxes`, else the platform's place for a user's data (`~/.local/share/boh/sandboxes` on
 * Linux, or under `XDG_DATA_HOME`).
 */
export function sandboxFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(ownFolder(environment, 'data'), 'sandboxes');
}

/** The file of a sandbox by its name; a name can't lead out of the folder. */
export function sandboxFile(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  if (!nameForm.test(name)) {
    throw usage(`“${name}” can’t be the name of a sandbox.`, {
      hint: 'Use letters, digits, - and _, at most 64 of them, such as “demo” or “branch-2”.',
    });
  }
  return join(sandboxFolder(environment), `${name}.sqlite`);
}
