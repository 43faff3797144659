/** Names that were handed on are handed back in turn: a record gets its own again once the one that has it now gives it up. */
import type { NewRow } from '../../bulk/ledger/row.ts';
import { rowReference } from '../../bulk/ledger/row-reference.ts';
import type { Resource } from '../../contract/resource.ts';
import type { RecordState } from './record-state.ts';

export class NamesGivenUp {
  /** By resource, field and value the name of the row that gives it up. */
  readonly #rows = new Map<string, string>();

  /** The same row, waiting for another one where that one has what it takes. Those written last come first. */
  inTurn(row: NewRow, { resource, id }: RecordState): NewRow {
    const { changes = {}, steps: [first, ...rest] = [] } = row;
    const renamed = resource.key.flatMap((key) => {
      const [now, then] = changes?.[key] ?? [];
      return now === undefined
        ? []
        : [{ taken: markOf(resource, key, then), left: markOf(resource, key, now) }];
    });
    if (renamed.length === 0 || !first) return row;
    const name = `${resource.command} ${id}`;
    const givers = new Set(renamed.flatMap(({ taken }) => this.#rows.get(taken) ?? []));
    for (const { left } of renamed) this.#rows.set(left, name);
    if (givers.size === 0) return { ...row, name };
    return { ...row, name, steps: [{ ...first, after: [...givers].map(rowReference) }, ...rest] };
  }
}

function markOf({ name }: Resource, field: string, value: unknown): string {
  return JSON.stringify([name, field, value]);
}
