/** Opens a file in the browser of the user. */
import open from 'open';
import { withoutSecretVariables } from './child-process.ts';

/** Opens the file. Calls `onFailure` if no browser starts. */
export async function openInBrowser(file: string, onFailure: () => void): Promise<void> {
  try {
    const launcher = await withoutSecretVariables(() => open(file));
    launcher.once('exit', (code) => code && onFailure());
    launcher.once('error', onFailure);
  } catch {
    onFailure();
  }
}
