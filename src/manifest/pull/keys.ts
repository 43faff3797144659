/** By what each record of an account can be known in a manifest, and how others can name it: found out from all records of its kind. */
import type { Field } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import { formOf } from '../declared/declared.ts';
import { manifestFields } from '../declared/fields.ts';
import { formIn, valueIn } from '../plan/wants.ts';

type Only = Field['traits']['only'];

/** How a record is named where it is related to another one. */
export type Name = string | Readonly<Record<string, unknown>>;

const telling: readonly Field['kind'][] = ['text', 'choice', 'date', 'integer', 'one', 'hour', 'unit'];

export class Keys {
  readonly #resource: Resource;
  readonly #rows: readonly Row[];
  readonly #byId: ReadonlyMap<unknown, Row>;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(resource: Resource, rows: readonly Row[]) {
    this.#resource = resource;
    this.#rows = rows;
    this.#byId = new Map(rows.map((row) => [row.id, row]));
  }

  /** The fields that tell it from all others; the first alone is its natural key. Undefined where none do. */
  keyOf(row: Row): { names: readonly string[]; isNatural: boolean } | undefined {
    const natural = this.#resource.key.find(
      (name) => manifestFields(this.#resource).has(name) && valueIn(row, name, this.#resource) !== null,
    );
    if (natural !== undefined && this.#isUnique(row, [natural])) return { names: [natural], isNatural: true };
    const names: string[] = [];
    for (const name of this.#candidates()) {
      if (valueIn(row, name, this.#resource) === null) continue;
      names.push(name);
      if (this.#isUnique(row, names)) return { names, isNatural: false };
    }
    return undefined;
  }

  /** As a relation to it is written, so that it names no other one; its id where nothing does. */
  nameOf(id: string, only: Only): Name {
    const row = this.#byId.get(id);
    if (!row) return { id };
    const text = this.#textOf(row, only);
    if (text !== undefined) return text;
    const names = this.keyOf(row)?.names ?? [];
    const isPlain = names.length > 0 && names.every((name) => this.#resource.fields[name]?.kind !== 'one');
    return isPlain ? Object.fromEntries(names.map((name) => [name, row[name]])) : { id };
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Whether any has the text as one of its natural keys. */
  isCalled(text: string, only: Only): boolean {
    return this.#resource.key.some(
      (name) => this.#matching([name], [formOf(this.#resource, name, text)], only) > 0,
    );
  }

  #shown(row: Row, name: string): string {
    return formIn(row, name, this.#resource) ?? '';
  }

  /** A text means the first natural key that any record has it in. */
  #textOf(row: Row, only: Only): string | undefined {
    for (const name of this.#resource.key) {
      const text = valueIn(row, name, this.#resource);
      if (text === null) continue;
      const count = (each: string) => this.#matching([each], [formOf(this.#resource, each, text)], only);
      const first = this.#resource.key.find((each) => count(each) > 0);
      if (first === name && count(name) === 1) return text;
    }
    return undefined;
  }

  #isUnique(row: Row, names: readonly string[]): boolean {
    return (
      this.#matching(
        names,
        names.map((name) => this.#shown(row, name)),
        undefined,
      ) === 1
    );
  }

  #matching(names: readonly string[], values: readonly string[], only: Only): number {
    const signature = JSON.stringify([names, only?.value ?? null]);
    const known = this.#counts.get(signature);
    const counts = known ?? new Map<string, number>();
    if (!known) {
      this.#counts.set(signature, counts);
      for (const row of this.#rows) {
        if (only && Number(row[only.field]) !== only.value) continue;
        const own = names.map((name) => formIn(row, name, this.#resource));
        if (own.includes(null)) continue;
        const mark = JSON.stringify(own);
        counts.set(mark, (counts.get(mark) ?? 0) + 1);
      }
    }
    return counts.get(JSON.stringify(values)) ?? 0;
  }

  /** Natural keys first, then what it belongs to and of what kind it is, then whatever else could tell. */
  #candidates(): string[] {
    const { key, title } = this.#resource;
    const fields = [...manifestFields(this.#resource).values()].filter(
      ({ field: { kind, isHidden } }) => telling.includes(kind) && !isHidden,
    );
    const of = (...kinds: Field['kind'][]) =>
      fields.filter(({ field }) => kinds.includes(field.kind)).map(({ name }) => name);
    const named = [title ?? '', ...key].filter((name) => fields.some((field) => field.name === name));
    return [...new Set([...named, ...of('one'), ...of('choice'), ...fields.map(({ name }) => name)])];
  }
}
