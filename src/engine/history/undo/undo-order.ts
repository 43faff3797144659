/**
 * Orders the rows of an undo: referenced records are restored first and deleted last, and a name is freed before it is
 * used.
 */

import { recordKey } from '../../../account/session/find-by-key.ts';
import { idsIn } from '../../../account/session/map-ids.ts';
import { bodyFrom } from '../../../account/session/record-body.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Api } from '../../../api/contract/api.ts';
import { type Effect, operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type NewRow, rowReference, type Step } from '../../runs/ledger/row.ts';
import { operationOf } from '../../runs/send-row.ts';
import type { RecordState, UndoRecords } from './record-state.ts';

/** The writes to one record that are undone together; without a resource, a single write. */
export interface Group {
  resource: Resource | undefined;
  id: string | undefined;
  effects: ReadonlySet<Effect>;
  /**
   * The first write that created, deleted or restored the record: its undo decides whether the record exists after the
   * undo.
   */
  first: Effect | undefined;
  /** The numbers of the writes, newest first. */
  numbers: readonly number[];
}

/**
 * Orders records: those that may be restored first, in the order of an apply; those that may be deleted last, in the
 * reverse order; the other records in between, the most recently written first.
 */
export function inDependencyOrder(groups: readonly Group[], api: Api): Group[] {
  const positions = new Map(api.dependencyOrder().map(({ resource }, position) => [resource, position]));
  const rank = (group: Group) => {
    const position = (group.resource && positions.get(group.resource)) ?? 0;
    if (isToRestore(group)) return position - positions.size;
    return isToDelete(group) ? positions.size - position : 0;
  };
  return [...groups].sort((a, b) => rank(a) - rank(b));
}

export function undoRecordsOf(groups: readonly Group[]): UndoRecords {
  const deletedGroups = groups.filter(({ effects }) => effects.has('delete'));
  return {
    restored: new Set(deletedGroups.filter(isToRestore).flatMap(keyOf)),
    deleted: new Set(deletedGroups.flatMap(keyOf)),
    all: new Set(groups.flatMap(keyOf)),
  };
}

function keyOf({ resource, id }: Group): string[] {
  return resource && id !== undefined ? [recordKey(resource, id)] : [];
}

function isToRestore({ first }: Group): boolean {
  return first === 'delete';
}

function isToDelete({ first }: Group): boolean {
  return first === 'create' || first === 'restore';
}

/** A row of the undo, and the rows that it depends on. */
interface Node {
  name: string;
  /** The position among the rows. */
  position: number;
  /** The number of the newest write that it undoes. */
  newest: number;
  dependencies: Set<Node>;
}

type NodesByKey = Map<string, Set<Node>>;

/** Builds the rows of an undo and their dependencies. */
export class UndoOrder {
  readonly #affected: ReadonlySet<string>;
  readonly #nodes: Node[] = [];
  /** The rows that restore and delete records, by record key. */
  readonly #restoring = new Map<string, Node>();
  readonly #deleting = new Map<string, Node>();
  /** The rows that add and remove references to a record, by record key. */
  readonly #adding: NodesByKey = new Map();
  readonly #removing: NodesByKey = new Map();
  /** The rows that free and use a value of a natural key, by value. */
  readonly #freeing: NodesByKey = new Map();
  readonly #taking: NodesByKey = new Map();

  constructor(groups: readonly Group[]) {
    const affectedGroups = groups.filter((group) => isToRestore(group) || isToDelete(group));
    this.#affected = new Set(affectedGroups.flatMap(keyOf));
  }

  /**
   * Returns the rows for a record's state, with the names that dependencies use. References from a restored record to
   * others that may be restored get a separate row, because two records may reference each other.
   */
  rowsFor(state: RecordState, planned: NewRow, newest: number): NewRow[] {
    const [firstStep, ...remainingSteps] = planned.steps ?? [];
    const name = `${state.resource.command} ${state.id}`;
    const isSplit =
      firstStep !== undefined &&
      effectOf(state, firstStep) === 'restore' &&
      remainingSteps.some((step) => this.#referencedKeys(state, step).length > 0);
    if (!isSplit) {
      const row = { ...planned, name };
      this.#add(row, state, newest);
      return [row];
    }
    const restoring: NewRow = {
      ...planned,
      name,
      action: 'restore',
      steps: [firstStep],
      changes: state.changesBy([firstStep]),
    };
    const changing: NewRow = {
      ...planned,
      name: `${name} afterwards`,
      action: 'update',
      steps: remainingSteps.map((step) => ({ ...step, ids: [rowReference(name), ...step.ids.slice(1)] })),
      changes: state.changesBy(remainingSteps),
    };
    const restoringNode = this.#add(restoring, state, newest);
    addDependency(this.#add(changing, state, newest), restoringNode);
    return [restoring, changing];
  }

  /** Stores the dependencies; call it after all rows are in the ledger. */
  storeDependencies(ledger: Ledger): void {
    for (const [key, nodes] of this.#adding)
      for (const node of nodes) addDependency(node, this.#restoring.get(key));
    for (const [key, takingNodes] of this.#taking) {
      const freeingNodes = [...(this.#freeing.get(key) ?? [])];
      for (const node of takingNodes)
        for (const freeing of freeingNodes) if (freeing.newest > node.newest) addDependency(node, freeing);
    }
    for (const [key, node] of this.#deleting)
      for (const other of this.#removing.get(key) ?? [])
        if (other.position > node.position) addDependency(node, other);
    const dependentNodes = this.#nodes.filter(({ dependencies }) => dependencies.size > 0);
    if (dependentNodes.length === 0) return;
    ledger.write(() => {
      for (const { name, dependencies } of dependentNodes) {
        const row = ledger.rowNamed(name);
        const [firstStep, ...remainingSteps] = row?.steps ?? [];
        const after = [...dependencies].map((other) => rowReference(other.name));
        if (row && firstStep) ledger.change(row.seq, { steps: [{ ...firstStep, after }, ...remainingSteps] });
      }
    });
  }

  #add(row: NewRow, state: RecordState, newest: number): Node {
    const { resource, record = {}, update } = state;
    const node: Node = {
      name: row.name ?? '',
      position: this.#nodes.length,
      newest,
      dependencies: new Set(),
    };
    this.#nodes.push(node);
    const ownKey = recordKey(resource, state.id);
    for (const step of row.steps ?? []) {
      const effect = effectOf(state, step);
      for (const key of this.#referencedKeys(state, step)) {
        addNode(effect === 'unlink' ? this.#removing : this.#adding, key, node);
      }
      const isWhole = effect === 'restore' || effect === 'delete';
      const fields = update?.body.filter(({ name }) => isWhole || Object.hasOwn(step.body ?? {}, name)) ?? [];
      const referencedKeys = this.#dependencyKeys(
        state,
        idsIn(fields, bodyFrom({ body: fields }, record).body),
      );
      for (const key of referencedKeys)
        addNode(effect === 'restore' ? this.#adding : this.#removing, key, node);
      if (effect === 'restore') this.#restoring.set(ownKey, node);
      if (effect === 'delete') this.#deleting.set(ownKey, node);
      if (!isWhole) continue;
      const nodesByValue = effect === 'restore' ? this.#taking : this.#freeing;
      for (const field of resource.key) addNode(nodesByValue, valueKey(resource, field, record[field]), node);
    }
    for (const field of resource.key) {
      const [oldValue, newValue] = row.changes?.[field] ?? [];
      if (oldValue !== undefined) addNode(this.#freeing, valueKey(resource, field, oldValue), node);
      if (oldValue !== undefined) addNode(this.#taking, valueKey(resource, field, newValue), node);
    }
    return node;
  }

  /** Returns the keys of the records that a step references or stops referencing, if other rows may depend on them. */
  #referencedKeys(state: RecordState, { verb, ids, body = {} }: Step): string[] {
    const write = operation(state.resource, verb);
    const linkReferences = write?.link ? [{ target: write.params[1]?.target ?? '', id: String(ids[1]) }] : [];
    return this.#dependencyKeys(state, [...linkReferences, ...idsIn(write?.body ?? [], body)]);
  }

  #dependencyKeys(state: RecordState, references: readonly { target: string; id: string }[]): string[] {
    const ownKey = recordKey(state.resource, state.id);
    return references
      .map(({ target, id }) => recordKey({ name: target }, id))
      .filter((key) => key !== ownKey && this.#affected.has(key));
  }
}

function effectOf({ resource }: RecordState, { verb }: Step): Effect | undefined {
  return operation(resource, verb)?.effect;
}

function addNode(nodes: NodesByKey, key: string, node: Node): void {
  nodes.set(key, (nodes.get(key) ?? new Set()).add(node));
}

function valueKey({ name }: Resource, field: string, value: unknown): string {
  return JSON.stringify([name, field, value]);
}

/**
 * Adds a dependency, unless the other row already depends on this row. In that case, they are sent in the order of
 * their positions.
 */
function addDependency(node: Node, other: Node | undefined): void {
  if (other && other !== node && !dependsOn(other, node)) node.dependencies.add(other);
}

function dependsOn(node: Node, other: Node): boolean {
  const visitedNodes = new Set<Node>();
  const pendingNodes = [node];
  for (let next = pendingNodes.pop(); next; next = pendingNodes.pop()) {
    if (next === other) return true;
    if (visitedNodes.has(next)) continue;
    visitedNodes.add(next);
    pendingNodes.push(...next.dependencies);
  }
  return false;
}

/**
 * Returns whether requests are sent one at a time, newest write first: created and deleted records may depend on each
 * other. Updates can be sent concurrently.
 */
export function sendsInOrder(ledger: Ledger, session: Session): boolean {
  return ledger.remainingOperations().some((step) => operationOf(step, session).effect !== 'update');
}
