/** The ids of what was declared, for the tests and scripts that follow: by resource, then by key. */
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { keyText } from '../declared/declared.ts';
import type { Plan } from '../plan/make-plan.ts';

/** What isn't there, as it was refused or not sent, is left out. */
export function idsOf(
  { declaration, matches, rowName }: Plan,
  ledger: Ledger | undefined,
): Record<string, Record<string, string>> {
  const ids: Record<string, Record<string, string>> = {};
  for (const record of declaration.records) {
    const id = matches.get(record)?.id ?? ledger?.named(rowName(record))?.id;
    if (typeof id !== 'string') continue;
    const own = ids[record.resource.command] ?? noIds();
    ids[record.resource.command] = own;
    own[keyText(record)] = id;
  }
  return ids;
}

/** Whatever a key is called, it stands there by itself. */
function noIds(): Record<string, string> {
  return Object.create(null);
}
