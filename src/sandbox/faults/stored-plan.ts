/** Stores the fault plan in the sandbox, so that a running server applies changes by another process. */
import type { Database } from '../../storage/database.ts';
import { newId } from '../context.ts';
import { isObject, isString, readStoredValue, writeStoredValue } from '../store/stored-values.ts';
import { Faults } from './engine.ts';
import type { FaultPlan } from './plan.ts';

const storedName = 'faults';

interface StoredFaultPlan {
  /** A random ID, so that storing the same plan again restarts it. */
  setting: string;
  plan: FaultPlan;
}

export function storeFaultPlan(database: Database, plan: FaultPlan): void {
  const storedPlan: StoredFaultPlan = { setting: newId(), plan };
  writeStoredValue(database, storedName, storedPlan);
}

export function clearFaultPlan(database: Database): void {
  database.run('DELETE FROM sandbox_facts WHERE name = ?', storedName);
}

/** Returns the stored plan; undefined if there is none. */
export function readFaultPlan(database: Database): FaultPlan | undefined {
  return readStoredValue(database, storedName, isStoredFaultPlan)?.plan;
}

/**
 * Returns a function that returns the faults for the next request, or undefined without a plan. It reads the plan
 * only if the file's version has changed.
 */
export function createFaultReader(database: Database): (version: string) => Faults | undefined {
  let lastVersion: string | undefined;
  let lastSetting: string | undefined;
  let faults: Faults | undefined;
  return (version) => {
    if (version === lastVersion) return faults;
    const stored = readStoredValue(database, storedName, isStoredFaultPlan);
    if (stored?.setting !== lastSetting) faults = stored && new Faults(stored.plan);
    [lastVersion, lastSetting] = [version, stored?.setting];
    return faults;
  };
}

/** Checks the properties that decisions depend on. The whole plan was validated before it was stored. */
function isStoredFaultPlan(value: unknown): value is StoredFaultPlan {
  return (
    isObject(value) && isString(value.setting) && isObject(value.plan) && Array.isArray(value.plan.rules)
  );
}
