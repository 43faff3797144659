/** Where rows that failed may be written: in the form that they came in, to a place that takes files, and never over their own file. */
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { usage } from '../../base/errors.ts';
import { formsByExtension } from '../../tables/open-table.ts';
import type { TableForm } from '../../tables/table.ts';
import { checkPlace } from '../../tables/whole-file.ts';

/** `source`: the file with the rows, where it is still there. Throws before anything is sent. */
export async function checkFailed(
  failed: string | undefined,
  { form, source }: { form: TableForm | undefined; source?: string },
): Promise<void> {
  if (failed === undefined) return;
  refuseOtherForm(failed, form);
  if (source !== undefined) refuseSource(failed, source);
  await checkPlace(failed);
}

/** A name that says another form would not be read again. */
function refuseOtherForm(failed: string, form: TableForm | undefined): void {
  const extension = extname(failed).slice(1);
  const named = formsByExtension[extension.toLowerCase()];
  if (named === undefined || form === undefined || named === form) return;
  throw usage(`--failed ${failed}: the rows come as ${form}, and are written so, not as ${extension}.`, {
    hint: `End its name with .${form}.`,
  });
}

/** Whatever was not sent, or is of unknown outcome, would be gone with it. */
function refuseSource(failed: string, source: string): void {
  const [to, from] = [failed, source].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (!to || !from || to.dev !== from.dev || to.ino !== from.ino) return;
  throw usage(`--failed ${failed}: that is the file with the rows, and would be written over.`, {
    hint: 'Give the rows that fail a file of their own.',
  });
}
