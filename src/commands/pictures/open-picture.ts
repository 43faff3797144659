/** A picture in the browser: a page in a file of its own, which stays for as long as it is looked at. */
import { hidingSecrets } from '../../base/child-process.ts';
import type { Context } from '../../context/context.ts';
import { type Result, told } from '../../output/result.ts';
import { type Page, pageOf } from '../../pictures/page.ts';
import { temporaryFile } from '../../settings/temporary-file.ts';
import { warn } from '../../terminal/messages.ts';

export async function openPicture({ streams }: Context, page: Page): Promise<Result> {
  const file = await temporaryFile('picture', 'picture.html', pageOf(page));
  const path = await file.keep();
  const failed = () => warn(streams, 'No browser could be started.');
  try {
    const { default: open } = await import('open');
    const launcher = await hidingSecrets(() => open(path));
    launcher.once('exit', (code) => code && failed());
    launcher.once('error', failed);
  } catch {
    failed();
  }
  return told(`The page is in ${path}.`);
}
