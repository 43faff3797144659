/** Opens a page in the browser of whoever sits here. */
import { redirectPage } from '../../auth/redirect-file.ts';
import { hidingSecrets } from '../../child-process.ts';
import { temporaryFile } from '../../settings/temporary-file.ts';

/**
 * What the browser is started with is a file that leads on to the address. Answers what removes it: by then the
 * browser has read it. `onFailure` is told, at most once, where no browser starts; that is no reason to end anything.
 */
export async function openBrowser(address: string, onFailure: () => void): Promise<() => Promise<void>> {
  const file = await temporaryFile('sign-in', 'approve-boh.html', redirectPage(address));
  try {
    const { default: open } = await import('open');
    const launcher = await hidingSecrets(() => open(file.path));
    launcher.once('exit', (code) => {
      if (code) onFailure();
    });
  } catch {
    onFailure();
  }
  return file.remove;
}
