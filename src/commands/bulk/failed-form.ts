/** Rows that failed are written in the form that they came in: a name that says another one would not be read again. */
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
