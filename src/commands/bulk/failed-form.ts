/** Where rows that failed may be written: not over the file that they come from, and in its form, as a name that says another one would not be read again. */
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { formsByExtension } from '../../bulk/tables/open-table.ts';
import type { TableForm } from '../../bulk/tables/table.ts';
import { usage } from '../../errors.ts';

export function refuseOtherForm(failed: string | undefined, form: TableForm | undefined): void {
  const extension = extname(failed ?? '').slice(1);
  const named = formsByExtension[extension.toLowerCase()];
  if (named === undefined || form === undefined || named === form) return;
  throw usage(`--failed ${failed}: the rows come as ${form}, and are written so, not as ${extension}.`, {
    hint: `End its name with .${form}.`,
  });
}

/** Whatever was not sent, or is of unknown outcome, would be gone with it. */
export function refuseSource(failed: string | undefined, source: string): void {
  if (failed === undefined) return;
  const [to, from] = [failed, source].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (!to || !from || to.dev !== from.dev || to.ino !== from.ino) return;
  throw usage(`--failed ${failed}: that is the file with the rows, and would be written over.`, {
    hint: 'Give the rows that fail a file of their own.',
  });
}
