/** A record as a manifest declares it: by what it is known, and its values in the words of manifests. */
import { type Api, apiOf } from '../../contract/api.ts';
import { isKeptByOther } from '../../contract/dependency-order.ts';
import type { Field } from '../../contract/field.ts';
import type { BodyField } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { formOf } from '../declared/declared.ts';
import { type ManifestField, manifestFields } from '../declared/fields.ts';
import { shownValue } from '../plan/names.ts';
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

export interface Pulling {
  api: Api;
  /** Of every resource that records point at. */
  keys: ReadonlyMap<string, Keys>;
  /** What the account calls a record that the API has no list of; undefined where only its id tells. */
  referenceName(target: string, id: string): string | undefined;
  /** Whether links that aren't there are to go, and what is empty is to be emptied. */
  isExact: boolean;
}

/** Fields that a pull writes: links that stand at both ends are written at one, and secrets nowhere. */
export function pulledFields(resource: Resource): ManifestField[] {
  const api = apiOf(resource);
  return [...manifestFields(resource).values()].filter(
    ({ field }) => !field.isHidden && !isKeptByOther(api, field),
  );
}

/** `names` are those of its key. */
export function declaredRow(
  resource: Resource,
  row: Row,
  names: readonly string[] | undefined,
  pulling: Pulling,
): Row {
  const key = names === undefined ? {} : { $key: [...names] };
  const values = pulledFields(resource).flatMap((field) => {
    const value = valueFor(field, resource, row, pulling);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return { ...key, ...(pulling.isExact && { $exact: true }), ...Object.fromEntries(values) };
}

function valueFor(field: ManifestField, resource: Resource, row: Row, pulling: Pulling): unknown {
  const plain: BodyField = {
    name: field.name,
    shown: field.name,
    field: field.field,
    isRequired: false,
    mustBeGiven: false,
  };
  const entry = field.update ?? field.create ?? plain;
  const { body } = bodyFrom({ body: [entry] }, row);
  const value = body[entry.name];
  if (value === undefined || value === '') return undefined;
  const isNone = value === null || (Array.isArray(value) && value.length === 0);
  if (isNone) return pulling.isExact ? value : undefined;
  const showing = {
    resource,
    called: (target: string, id: unknown, only?: Field['traits']['only']) =>
      called(target, String(id), only, pulling),
  };
  return tidy(field.field, shownValue(field.field, value, field.name, showing), pulling.isExact);
}

function called(target: string, id: string, only: Field['traits']['only'], pulling: Pulling): unknown {
  if (target === '') return anyOf(id, pulling);
  const keys = pulling.keys.get(target);
  if (keys) return keys.nameOf(id, only);
  return pulling.referenceName(target, id) ?? id;
}

/** One of several kinds: what can be listed says of which kind it is. */
function anyOf(id: string, { api, keys }: Pulling): unknown {
  for (const [name, own] of keys) {
    if (!own.has(id)) continue;
    const of: Name = own.nameOf(id, undefined);
    return { [api.resource(name)?.one ?? name]: of };
  }
  return id;
}

/** In the same order each time, where it has none of its own; without what is empty, unless that is to be said. */
function tidy(field: Field, value: unknown, isExact: boolean): unknown {
  if (!Array.isArray(value)) return value;
  const { allowed } = field.traits;
  if (field.kind === 'words' && allowed) {
    // A word that the contract doesn't know is told of when it is applied, rather than dropped here.
    const others = value.filter((word) => !allowed.includes(word)).sort();
    return [...allowed.filter((word) => value.includes(word)), ...others];
  }
  if (field.kind === 'integers') return [...value].sort((a, b) => compare(String(a), String(b)));
  if (field.kind === 'objects') return value.map((part) => tidyPart(field, part, isExact));
  if (field.kind !== 'many') return value;
  const links = isExact ? value : value.map((link) => (isRow(link) ? withoutNone(link) : link));
  return links.sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
}

function tidyPart({ traits: { fields = {} } }: Field, part: unknown, isExact: boolean): unknown {
  if (!isRow(part)) return part;
  const entries = Object.entries(isExact ? part : withoutNone(part)).map(([name, value]) => {
    const field = fields[name];
    return [name, field ? tidy(field, value, isExact) : value];
  });
  return Object.fromEntries(entries);
}

function withoutNone(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
