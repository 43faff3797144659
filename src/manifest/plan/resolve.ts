/** Matches declared records and references with the records of the account. Reads in bulk, and writes nothing. */
import { Failure } from '../../base/errors.ts';
import { includePaths } from '../../contract/include.ts';
import type { Resource } from '../../contract/resource.ts';
import { isDeleted } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Declaration, Declared } from '../declared/declared.ts';
import { manifestFields } from '../declared/fields.ts';
import type { Ref } from '../declared/ref.ts';
import type { Pauses } from '../pauses.ts';
import type { Mistakes } from '../source/mistakes.ts';
import { chosenDeleted, chosenRow, type DeclaredLookup, refuseSame, SimilarDeclared } from './choose-row.ts';
import { type Found, findNamed } from './find-named.ts';
import { Names } from './names.ts';
import { sidesOfCircles, sidesOfRenamed, temporaryKey } from './renames.ts';
import {
  keeping,
  keyWant,
  matchWants,
  type Naming,
  namingOf,
  openRows,
  othersOf,
  readWanted,
  refsOf,
  type Target,
  type WantedRows,
  wantOf,
  wantsOf,
} from './wants.ts';

/** What a resolution needs. */
export interface Resolving {
  session: Session;
  declaration: Declaration;
  mistakes: Mistakes;
  /** Whether the plan is only a comparison: an unknown name is a missing record, and no mistake. */
  isCompared: boolean;
  /** Resources that are read completely, with a function that is called for each record. */
  whole: ReadonlyMap<Resource, (row: Row) => void>;
  pauses: Pauses;
}

/** The fields that rows have to show, and those that are kept. */
type How = Pick<WantedRows, 'optional' | 'kept'>;

const nothingNamed: Naming = { refs: [], keyTargets: new Set(), fields: new Set() };

/** The rows and ids that the records and references of a declaration stand for. */
export class Resolution {
  readonly names = new Names();
  /** Notes for the user on the matching of records. */
  readonly notes: string[] = [];
  readonly #resolving: Resolving;
  /** The rows of the declared records that exist, including deleted ones, with the fields that the plan needs. */
  readonly rows = new Map<Declared, Row>();
  readonly #targets = new Map<string, Target>();
  readonly #byResource: ReadonlyMap<Resource, readonly Declared[]>;
  readonly #naming: ReadonlyMap<Resource, Naming>;
  readonly #refs: ReadonlyMap<string, readonly Ref[]>;
  /** All references in the files, by `mark`; created at the first mistake. */
  #places: ReadonlyMap<string, readonly Ref[]> | undefined;

  private constructor(resolving: Resolving) {
    this.#resolving = resolving;
    const { records } = resolving.declaration;
    this.#byResource = Map.groupBy(records, ({ resource }) => resource);
    this.#naming = new Map([...this.#byResource].map(([resource, own]) => [resource, namingOf(own)]));
    const refs = new Map(
      [...this.#naming.values()].flatMap((naming) => naming.refs.map((ref) => [ref.key, ref])),
    );
    this.#refs = Map.groupBy(refs.values(), ({ target }) => target);
  }

  static async of(resolving: Resolving): Promise<Resolution> {
    const resolution = new Resolution(resolving);
    await resolving.pauses.takeIfDue();
    await resolution.#readReferences();
    for (const resource of resolution.#order()) await resolution.#read(resource);
    return resolution;
  }

  /** Returns the record of a reference; undefined if none or several match, which is among the mistakes. */
  target(ref: Ref): Target | undefined {
    return ref.by.kind === 'id' ? { id: ref.by.id } : this.#targets.get(ref.key);
  }

  /** Returns the resources in order: those that the keys of others refer to come first. */
  #order(): Resource[] {
    const { api } = this.#resolving.session;
    const named = [...this.#refs.keys()].flatMap((target) => api.resource(target) ?? []);
    const all = new Set([...this.#byResource.keys(), ...named, ...this.#resolving.whole.keys()]);
    const done = new Set<Resource>();
    const visit = (resource: Resource): void => {
      if (done.has(resource)) return;
      done.add(resource);
      for (const target of this.#namingOf(resource).keyTargets) {
        const other = api.resource(target);
        if (other && all.has(other)) visit(other);
      }
      ordered.push(resource);
    };
    const ordered: Resource[] = [];
    for (const resource of all) visit(resource);
    return ordered;
  }

  /** Finds the records that the API can't list, by id or name. */
  async #readReferences(): Promise<void> {
    const { session, mistakes } = this.#resolving;
    for (const [target, refs] of this.#refs) {
      for (const { by } of refs)
        if (by.kind === 'id' && by.text !== undefined) this.names.note(target, by.id, by.text);
      const named = refs.filter(({ by }) => by.kind !== 'id');
      if (session.api.resource(target) || named.length === 0) continue;
      const texts = named.map((ref) => `@${ref.text}`);
      const found = await session.find(target, texts, { orId: true });
      for (const ref of named) {
        const id = found.get(`@${ref.text}`);
        if (id instanceof Failure && this.#resolving.isCompared) this.#takeMissing(ref);
        else if (id instanceof Failure)
          mistakes.add(ref.at, id.message.replaceAll(`@${ref.text}`, ref.text).replace(/\.$/, ''));
        else if (id !== undefined) {
          this.#targets.set(ref.key, { id });
          this.names.note(target, id, ref.text);
        }
      }
    }
  }

  async #read(resource: Resource): Promise<void> {
    const { session, whole, pauses, mistakes } = this.#resolving;
    const wanted = (this.#byResource.get(resource) ?? []).map((record) => this.#wantedOf(record));
    const refs = (this.#refs.get(resource.name) ?? []).filter(({ by }) => by.kind !== 'id');
    const named = refs.map((ref) => ({ ref, wants: wantsOf(ref, resource) }));
    const wants = [
      ...wanted.flatMap(({ key, old, temporary }) => [key, old, temporary]),
      ...named.flatMap((each) => each.wants.map(({ want }) => want)),
    ].filter((want) => want !== undefined);
    await pauses.takeIfDue();
    const optional = this.#relationsOf(resource);
    const open: Row[] = [];
    const declared = this.#byResource.get(resource) ?? [];
    const isOpen = openRows(resource, declared);
    const near = new SimilarDeclared(resource, declared);
    const kept = this.#keeping(resource, refs);
    const isWhole = await readWanted(session, {
      resource,
      wants,
      optional,
      onEach: whole.get(resource),
      onRead: (row, isWanted) => {
        if (!isWanted) near.addRow(row);
        if (isOpen(row)) open.push(kept(row));
      },
      kept,
    });
    const sideOf = sidesOfRenamed(wanted);
    const sideInCircle = sidesOfCircles(wanted, mistakes);
    for (const each of wanted) {
      const row = chosenRow(each, sideInCircle(each) ?? sideOf(each), mistakes);
      if (row) this.rows.set(each.record, row);
    }
    await pauses.takeIfDue();
    await this.#readOthers(resource, wanted, { optional, kept, open: isWhole ? open : undefined });
    await pauses.takeIfDue();
    await this.#readDeleted(resource, wanted, { optional, kept });
    await pauses.takeIfDue();
    refuseSame(wanted, this.rows, mistakes);
    this.notes.push(...near.notes((record) => this.rows.has(record) || record.isAbsent === true));
    const found = findNamed(resource, named, {
      declared,
      rowOf: (record) => this.rows.get(record),
    });
    for (const { ref, ...each } of found) this.#takeNamed(resource, ref, each);
  }

  /** Returns the function that keeps the compared fields of a row. */
  #keeping(resource: Resource, refs: readonly Ref[]): How['kept'] {
    const parts = keeping(resource, this.#namingOf(resource).fields, refs);
    // The history stores the complete record before it is restored.
    return (row) => (isDeleted(row) ? row : parts(row));
  }

  #takeNamed(resource: Resource, ref: Ref, { target, problem, isMissing }: Omit<Found, 'ref'>): void {
    if (target) {
      this.#targets.set(ref.key, target);
      if (target.id !== undefined) this.names.note(resource.name, target.id, ref.text);
    } else if (this.#resolving.isCompared || (isMissing && this.#mayBeUnread(resource)))
      this.#takeMissing(ref);
    else
      for (const same of this.#sameAs(ref)) this.#resolving.mistakes.add(same.at, problem ?? "doesn't exist");
  }

  /** Returns whether the files may declare a record of the resource in a part with mistakes. */
  #mayBeUnread(resource: Resource): boolean {
    const { unread } = this.#resolving.declaration.faults ?? {};
    return unread === 'all' || unread?.has(resource) === true;
  }

  /** Gives an unknown reference an id that no record has. */
  #takeMissing(ref: Ref): void {
    const id = `(missing) ${ref.text}`;
    this.#targets.set(ref.key, { id });
    this.names.note(ref.target, id, ref.text);
  }

  /** Returns all references with the same mark, because a mistake is reported at each location. */
  #sameAs(ref: Ref): readonly Ref[] {
    this.#places ??= Map.groupBy(this.#resolving.declaration.records.flatMap(refsOf), ({ key }) => key);
    return this.#places.get(ref.key) ?? [];
  }

  #wantedOf(record: Declared): DeclaredLookup {
    const { oldKey } = record;
    const target = (ref: Ref) => this.target(ref);
    const release = oldKey && temporaryKey(record);
    return {
      record,
      key: keyWant(record, target),
      old: oldKey && wantOf(oldKey, target),
      temporary: release && wantOf([{ name: release.field, value: release.value }], target),
    };
  }

  /**
   * Matches records without the first natural key by a further one; a record with another first key is another
   * record. `open` are the rows that lack a key, if all rows were read.
   */
  async #readOthers(
    resource: Resource,
    wanted: readonly DeclaredLookup[],
    { open, ...how }: How & { open: readonly Row[] | undefined },
  ): Promise<void> {
    const missing = wanted.flatMap(({ record }) =>
      this.rows.has(record) ? [] : [{ record, others: othersOf(record) }],
    );
    const wants = missing.flatMap(({ others }) => others);
    if (open) matchWants(resource, wants, open);
    else await readWanted(this.#resolving.session, { resource, wants, ...how });
    for (const { record, others } of missing) {
      const only = others.map(({ found }) => found).find(({ length }) => length === 1);
      if (only?.[0]) this.rows.set(record, only[0]);
    }
  }

  /** Matches deleted records by their key or former key, so that they are restored instead of created again. */
  async #readDeleted(resource: Resource, wanted: readonly DeclaredLookup[], how: How): Promise<void> {
    if (!resource.restore) return;
    const missing = wanted.filter(({ record }) => !this.rows.has(record) && !record.isAbsent);
    const wants = missing.flatMap(({ key, old }) => [key, old]).filter((want) => want !== undefined);
    for (const want of wants) want.found = [];
    await readWanted(this.#resolving.session, { resource, wants, ...how, deletedOnly: true });
    for (const each of missing) {
      const row = chosenDeleted(each, this.#resolving.mistakes, (note) => this.notes.push(note));
      if (row) this.rows.set(each.record, row);
    }
  }

  #namingOf(resource: Resource): Naming {
    return this.#naming.get(resource) ?? nothingNamed;
  }

  /** Returns the relations that the rows of declared records have to show. */
  #relationsOf(resource: Resource): string[] {
    const { fields } = this.#namingOf(resource);
    return [...manifestFields(resource).values()].flatMap(({ name, field }) =>
      fields.has(name) ? includePaths(name, field) : [],
    );
  }
}
