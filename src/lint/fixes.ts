/** Plans the fixes of findings that have only one right answer. */
import { operation } from '../contract/operation.ts';
import { knownOf } from '../runs/known.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { differenceOf } from '../session/diff/fields.ts';
import type { Finding } from './finding.ts';

/** Adds an update to the ledger for each record with such findings. The first of two fixes of one field applies. */
export function addFixes(ledger: Ledger, findings: readonly Finding[]): void {
  const fixable = findings.filter(({ set }) => set !== undefined);
  const records = Map.groupBy(fixable, ({ resource, id }) => `${resource.name} ${id}`);
  for (const own of records.values()) {
    const [first] = own;
    const update = first && operation(first.resource, 'update');
    if (!first || !update) continue;
    const { resource, row, name, id } = first;
    const given = Object.assign({}, ...own.map(({ set }) => set).reverse());
    const { body, changes } = differenceOf(update.body, given, row);
    const known = knownOf(resource, row, Object.keys(changes));
    const step = { resource: resource.name, verb: 'update', ids: [id], body, known };
    const planned = { state: 'planned', action: 'update', steps: [step], changes } as const;
    ledger.add([{ line: null, resource: resource.name, key: name, id, ...planned }]);
  }
}
