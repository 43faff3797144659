/** Stores the change sets of an account in its log, with their plans. */
import { join } from 'node:path';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Cell, Database } from '../../base/storage/database.ts';
import { type FileLock, lockFile } from '../../base/storage/file-lock.ts';
import { didYouMean } from '../../base/suggest.ts';
import { Ledger } from '../runs/ledger/ledger.ts';
import { addRun, deleteRun, openRun } from '../runs/ledger/runs.ts';
import { logFile, logFormat, type OpenLog, openLog } from '../runs/log.ts';
import {
  type ChangeSet,
  finalStates,
  type Overlap,
  overlapOf,
  type Schedule,
  stateLabels,
  type TouchedField,
} from './change-set.ts';

/** The columns of the table of sets, which are the members of a set. */
const setColumns: readonly (keyof ChangeSet)[] = [
  ...(['id', 'name', 'state', 'startsAt', 'endsAt', 'zone', 'graceMs', 'onChanged', 'note'] as const),
  ...(['summary', 'createdAt', 'run', 'allow', 'begunAt', 'returnRun', 'returnedAt', 'reason'] as const),
];

/** The plan of a change set, and the fields that it changes. */
export interface PlanContents {
  /** The summary of the plan. */
  summary: string;
  /** The ID of the run that begins it. */
  run: string;
  /** The rules of `boh lint` that were allowed, separated by commas. */
  allow: string | null;
  touched: Iterable<TouchedField>;
  /** The file of the saved plan. */
  planFile: string;
}

/** Another set that changes the same fields in the same period. */
export interface Conflict {
  otherSet: ChangeSet;
  /** `nested`: one period contains the other. */
  overlap: Exclude<Overlap, 'none'>;
  /** One of the shared fields: `inventory_items 42 cost`. */
  exampleField: string;
  fieldCount: number;
}

const select = `SELECT ${setColumns.join(', ')} FROM sets`;

/** Reads and writes the change sets of an account, which survive a power failure. */
export class ChangeSets {
  readonly #folder: string;
  readonly #log: OpenLog;

  /** Opens the change sets in the log of an account. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#log = openLog(logFile(folder));
  }

  get #database(): Database {
    return this.#log.database;
  }

  /** Returns the sets, in the order of their start times. */
  all(): ChangeSet[] {
    return this.#database.all(`${select} ORDER BY startsAt, id`) as unknown as ChangeSet[];
  }

  /** Returns the newest set with a name. Throws `not_found` if no set has it. */
  get(name: string): ChangeSet {
    const newest = this.#newest(name);
    if (newest) return newest;
    const names = [...new Set(this.all().map((set) => set.name))];
    throw new Failure('not_found', `Change set "${name}" not found.${didYouMean(name, names)}`, {
      hint: boh.hint`To list change sets: ${boh.account('change list')}`,
    });
  }

  #newest(name: string): ChangeSet | undefined {
    const row = this.#database.get(`${select} WHERE name = ? ORDER BY id DESC LIMIT 1`, name);
    return row as ChangeSet | undefined;
  }

  /** Throws `usage` if a set with this name isn't over. */
  refuseExistingName(name: string): void {
    const existing = this.#newest(name);
    if (!existing || finalStates.includes(existing.state)) return;
    throw usage(`Change set "${name}" already exists and is ${stateLabels[existing.state]}.`, {
      hint: boh.hint`Choose another name, or cancel it: ${boh.account('change cancel', name)}`,
    });
  }

  /** Adds a set. Calls `onAdded` with the new set in the same transaction; if it throws, nothing is added. */
  add(
    set: Schedule & Pick<ChangeSet, 'name' | 'createdAt'>,
    contents: PlanContents,
    onAdded: (addedSet: ChangeSet) => void,
  ): ChangeSet {
    return this.write(() => {
      this.refuseExistingName(set.name);
      const cells = cellsOf({ ...set, ...contents, state: 'planned' });
      const id = this.#database.insert(
        `INSERT INTO sets (${Object.keys(cells).join(', ')}) VALUES (${Object.keys(cells)
          .map(() => '?')
          .join(', ')})`,
        ...Object.values(cells),
      );
      this.#storePlan(id, contents);
      const addedSet = this.get(set.name);
      onAdded(addedSet);
      return addedSet;
    });
  }

  /**
   * Changes a set if its state is still `state`, and returns whether it did: another process may have changed the set. The
   * plan of an ended or canceled set is deleted.
   */
  change(
    { id, state }: Pick<ChangeSet, 'id' | 'state'>,
    change: Partial<Omit<ChangeSet, 'id'>>,
    contents?: PlanContents,
  ): boolean {
    const cells = cellsOf({ ...change, ...contents });
    return this.write(() => {
      const changedRowCount = this.#database.run(
        `UPDATE sets SET ${Object.keys(cells)
          .map((column) => `${column} = ?`)
          .join(', ')} WHERE id = ? AND state = ?`,
        ...Object.values(cells),
        id,
        state,
      );
      if (changedRowCount === 0) return false;
      if (contents || change.state === 'ended' || change.state === 'canceled') this.#storePlan(id, contents);
      return true;
    });
  }

  /** Stores the plan of a set and the fields that it changes. Without contents, deletes them. */
  #storePlan(id: number, { touched, planFile }: Partial<PlanContents> = {}): void {
    deleteRun(this.#folder, planName({ id }));
    if (planFile !== undefined) {
      const plan = new Ledger(planFile);
      try {
        addRun(this.#folder, planName({ id }), plan);
      } finally {
        plan.close();
      }
    }
    this.setTouched({ id }, touched ?? []);
  }

  /** Stores the fields that a set changes. */
  setTouched({ id }: Pick<ChangeSet, 'id'>, touched: Iterable<TouchedField>): void {
    this.write(() => {
      this.#database.run('DELETE FROM touched WHERE set_id = ?', id);
      this.#database.runEach(
        'INSERT OR IGNORE INTO touched VALUES (?, ?, ?, ?)',
        [...touched].map(({ resource, record, field }) => [id, resource, record, field]),
      );
    });
  }

  /** Calls `work` in one transaction, which survives a power failure. */
  write<T>(work: () => T): T {
    return this.#database.writeDurably(work);
  }

  /** Opens the plan of a set. */
  openPlan(set: ChangeSet): Ledger {
    return openRun(this.#folder, planName(set));
  }

  /** Calls `work` with the plan of a set, and closes it. */
  withPlan<T>(set: ChangeSet, work: (plan: Ledger) => T): T {
    const plan = this.openPlan(set);
    try {
      return work(plan);
    } finally {
      plan.close();
    }
  }

  /** Returns the sets that aren't over and change the same fields as this one in the same period. */
  conflicts(set: ChangeSet): Conflict[] {
    return this.all().flatMap((otherSet) => {
      if (otherSet.id === set.id || finalStates.includes(otherSet.state)) return [];
      const overlap = overlapOf(set, otherSet);
      if (overlap === 'none') return [];
      const { fieldCount, exampleField } = this.#countSharedFields(set, otherSet);
      return fieldCount === 0 ? [] : [{ otherSet, overlap, fieldCount, exampleField }];
    });
  }

  /** Returns whether two sets change the same field of a record, or one deletes a record that the other changes. */
  haveSharedFields(a: ChangeSet, b: ChangeSet): boolean {
    return this.#countSharedFields(a, b).fieldCount > 0;
  }

  #countSharedFields(a: ChangeSet, b: ChangeSet): Pick<Conflict, 'fieldCount' | 'exampleField'> {
    const row = this.#database.get(
      `SELECT count(*) AS fields, min(a.resource || ' ' || a.record || ' ' || a.field) AS example
       FROM touched AS a JOIN touched AS b USING (resource, record)
       WHERE a.set_id = ? AND b.set_id = ?
         AND (a.field = b.field OR a.field = '*' OR b.field = '*')`,
      a.id,
      b.id,
    );
    return { fieldCount: Number(row?.fields ?? 0), exampleField: String(row?.example ?? '') };
  }

  /** Locks the sets for a process that executes their actions. Throws a StorageFailure: `busy` if another process has the lock. */
  lock(): FileLock {
    return lockFile({ ...logFormat(join(this.#folder, 'changes')), label: 'The lock of change sets' });
  }

  close(): void {
    this.#log.close();
  }
}

/** Returns the name of a plan in the log, which isn't a run ID: it can't be listed or resumed. */
function planName({ id }: Pick<ChangeSet, 'id'>): string {
  return `change ${id}`;
}

/** Returns the cells of the existing properties of a set, without its ID. */
function cellsOf(set: Partial<Omit<ChangeSet, 'id'>>): Record<string, Cell> {
  const cells = Object.entries(set).filter(
    ([name]) => name !== 'id' && (setColumns as readonly string[]).includes(name),
  );
  return Object.fromEntries(cells.map(([name, value]) => [name, value ?? null]));
}
