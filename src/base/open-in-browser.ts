/** Opens a file or a page in the browser of the user. */
import open from 'open';
import { withoutSecretVariables } from './child-process.ts';
import type { Environment } from './environment.ts';

/** Opens the path or URL, which other users can read in the process list. Calls `onFailure` if no browser starts. */
export async function openInBrowser(target: string, onFailure: () => void): Promise<void> {
  if (!hasDisplay(process.env, process.platform)) return onFailure();
  try {
    const launcher = await withoutSecretVariables(() => open(target));
    launcher.once('exit', (code) => code && onFailure());
    launcher.once('error', onFailure);
  } catch {
    onFailure();
  }
}

/** The variables of a display. BROWSER may be a program that opens pages on another machine, and WSL uses Windows. */
const displayVariables = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'];

/** Returns whether users would see a browser. Linux would otherwise start one for terminals, invisibly. */
export function hasDisplay(env: Environment, platform: NodeJS.Platform): boolean {
  const needsVariable = platform === 'linux' || Boolean(env.SSH_CONNECTION);
  return !needsVariable || displayVariables.some((name) => env[name]);
}
