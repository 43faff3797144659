/** Which record each name stands for, among those that are declared and those that are there: exactly one, or a mistake. */
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import { didYouMean } from '../../suggest.ts';
import { type Declared, plain } from '../declared/declared.ts';
import type { Ref } from '../declared/ref.ts';
import { several, type Target } from './target.ts';
import type { Want } from './wants.ts';

export interface Found {
  ref: Ref;
  target?: Target | undefined;
  problem?: string | undefined;
}

interface Among {
  declared: readonly Declared[];
  /** The record of the account that a declared one is. */
  rowOf(record: Declared): Row | undefined;
}

export function findNamed(
  resource: Resource,
  named: readonly { ref: Ref; wants: readonly { field: string; want: Want }[] }[],
  { declared, rowOf }: Among,
): Found[] {
  const index = new DeclaredIndex(declared);
  return named.map(({ ref, wants }) => {
    for (const { want } of wants) {
      const own = index.matching(want.values).filter((record) => fitsDeclared(ref, record, rowOf(record)));
      const rows = want.found.filter((row) => fitsRow(ref, row));
      const ids = new Set([...rows.map(({ id }) => id), ...own.flatMap((record) => rowOf(record)?.id ?? [])]);
      const fresh = own.filter((record) => !rowOf(record));
      const [record] = fresh;
      const [id] = ids;
      if (ids.size + fresh.length > 1) {
        const what = rows.length > 1 ? several(rows, resource) : `several ${resource.nouns}`;
        return { ref, problem: `${ref.text} names ${what}: say which, as in { name: …, … }` };
      }
      if (typeof id === 'string') return { ref, target: { id } };
      if (record) return { ref, target: { record } };
    }
    const names = declared.flatMap(({ key }) => key.map(({ value }) => plain(value)));
    const guess = didYouMean(ref.text, names).replace(/\?$/, '');
    const kind = kindOf(ref, resource);
    return {
      ref,
      problem: `there is no ${resource.noun} ${ref.text}${kind}, and none is declared${guess && `.${guess}?`}`,
    };
  });
}

/** " of the type customer": what was looked for beside the name. */
function kindOf({ only }: Ref, { fields }: Resource): string {
  if (!only) return '';
  const words = Object.entries(fields[only.field]?.traits.words ?? {});
  return ` of the ${only.field} ${words.find(([, value]) => value === only.value)?.[0] ?? only.value}`;
}

function fitsRow({ only }: Ref, row: Row): boolean {
  return !only || Number(row[only.field]) === only.value;
}

function fitsDeclared({ only }: Ref, { given }: Declared, row: Row | undefined): boolean {
  if (!only) return true;
  return Number(given.get(only.field)?.value ?? row?.[only.field]) === only.value;
}

class DeclaredIndex {
  readonly #records: readonly Declared[];
  readonly #byField = new Map<string, Map<string, Declared[]>>();

  constructor(records: readonly Declared[]) {
    this.#records = records;
  }

  matching(values: Readonly<Record<string, string>>): Declared[] {
    const [first, ...rest] = Object.entries(values);
    if (!first) return [];
    const found = this.#by(first[0]).get(first[1]) ?? [];
    return found.filter(({ given }) =>
      rest.every(([name, value]) => plain(given.get(name)?.value) === value),
    );
  }

  #by(name: string): Map<string, Declared[]> {
    const made = this.#byField.get(name);
    if (made) return made;
    const index = new Map<string, Declared[]>();
    for (const record of this.#records) {
      const value = record.given.get(name)?.value;
      if (value === undefined || value === null) continue;
      index.set(plain(value), [...(index.get(plain(value)) ?? []), record]);
    }
    this.#byField.set(name, index);
    return index;
  }
}
