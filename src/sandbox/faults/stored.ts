/** Stores the fault plan in the sandbox, so that a running server applies changes by another process. */
import type { Database } from '../../storage/database.ts';
import { parseJsonCell } from '../../storage/json-cell.ts';
import { newId } from '../context.ts';
import { isListOf, isObject, isText, readFact, writeFact } from '../store/facts.ts';
import { Faults } from './engine.ts';
import type { FaultPlan, FaultRule } from './plan.ts';

const factName = 'faults';

interface StoredFaultPlan {
  /** A random id, so that storing the same plan again restarts it. */
  setting: string;
  plan: FaultPlan;
}

/** Stores a plan and restarts it. */
export function storeFaultPlan(database: Database, plan: FaultPlan): void {
  const stored: StoredFaultPlan = { setting: newId(), plan };
  writeFact(database, factName, stored);
}

/** Deletes the plan. */
export function clearFaultPlan(database: Database): void {
  database.run('DELETE FROM sandbox_facts WHERE name = ?', factName);
}

/** Returns the plan; undefined if there is none. */
export function faultPlan(database: Database): FaultPlan | undefined {
  return readFact(database, factName, isStoredFaultPlan)?.plan;
}

/**
 * Returns a function that returns the faults for the next request, or undefined without a plan. It reads the plan
 * only if the file's version has changed.
 */
export function faultsOf(database: Database): (version: string) => Faults | undefined {
  let lastVersion: string | undefined;
  let lastText: string | undefined;
  let faults: Faults | undefined;
  return (version) => {
    if (version === lastVersion) return faults;
    const text = storedText(database);
    if (text !== lastText) {
      faults =
        text === undefined ? undefined : new Faults(parseJsonCell(text, database, isStoredFaultPlan).plan);
      lastText = text;
    }
    lastVersion = version;
    return faults;
  };
}

function storedText(database: Database): string | undefined {
  const value = database.get('SELECT value FROM sandbox_facts WHERE name = ?', factName)?.value;
  return value === undefined ? undefined : String(value);
}

/** Checks the properties that decisions depend on. The whole plan was validated before it was stored. */
function isStoredFaultPlan(value: unknown): value is StoredFaultPlan {
  if (!isObject(value) || !isText(value.setting) || !isObject(value.plan)) return false;
  const { seed, rules } = value.plan;
  return typeof seed === 'number' && isListOf(isFaultRule)(rules);
}

function isFaultRule(rule: unknown): rule is FaultRule {
  if (!isObject(rule) || !isText(rule.route) || !isText(rule.fault)) return false;
  const { probability, nth = [] } = rule;
  return typeof probability === 'number' && Array.isArray(nth);
}
