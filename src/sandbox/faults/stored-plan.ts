/** Stores the fault plan in the sandbox, so that a running server applies changes by another process. */
import type { Database } from '../../storage/database.ts';
import { parseJsonCell } from '../../storage/json-cell.ts';
import { newId } from '../context.ts';
import { isArrayOf, isObject, isString, readStoredValue, writeStoredValue } from '../store/stored-values.ts';
import { Faults } from './engine.ts';
import type { FaultPlan, FaultRule } from './plan.ts';

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
  let lastText: string | undefined;
  let faults: Faults | undefined;
  return (version) => {
    if (version === lastVersion) return faults;
    const text = readStoredText(database);
    if (text !== lastText) {
      faults =
        text === undefined ? undefined : new Faults(parseJsonCell(text, database, isStoredFaultPlan).plan);
      lastText = text;
    }
    lastVersion = version;
    return faults;
  };
}

function readStoredText(database: Database): string | undefined {
  const value = database.get('SELECT value FROM sandbox_facts WHERE name = ?', storedName)?.value;
  return value === undefined ? undefined : String(value);
}

/** Checks the properties that decisions depend on. The whole plan was validated before it was stored. */
function isStoredFaultPlan(value: unknown): value is StoredFaultPlan {
  if (!isObject(value) || !isString(value.setting) || !isObject(value.plan)) return false;
  const { seed, rules } = value.plan;
  return typeof seed === 'number' && isArrayOf(isFaultRule)(rules);
}

function isFaultRule(rule: unknown): rule is FaultRule {
  if (!isObject(rule) || !isString(rule.route) || !isString(rule.fault)) return false;
  const { probability, nth = [] } = rule;
  return typeof probability === 'number' && Array.isArray(nth);
}
