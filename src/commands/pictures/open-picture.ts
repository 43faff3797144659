/** Opens a picture in the browser, as a page in a temporary file. */
import { openInBrowser } from '../../base/open-in-browser.ts';
import type { Context } from '../../context/context.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { type Page, pageOf } from '../../pictures/page.ts';
import { temporaryFile } from '../../settings/temporary-file.ts';
import { warn } from '../../terminal/messages.ts';

/** Writes the page to a temporary file and opens it. Warns if no browser can be started. */
export async function openPicture({ streams }: Context, page: Page): Promise<Result> {
  const file = await temporaryFile('picture', 'picture.html', pageOf(page));
  const path = await file.keep();
  await openInBrowser(path, () => warn(streams, "Couldn't start a browser."));
  return messageResult(`The page is in ${path}.`);
}
