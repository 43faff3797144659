/** The plan of faults that a sandbox keeps, so that a running server follows what another process sets. */
import type { Database } from '../../storage/database.ts';
import { jsonIn } from '../../storage/json-cell.ts';
import { newId } from '../context.ts';
import { isListOf, isObject, isText, readFact, writeFact } from '../store/facts.ts';
import { Faults } from './engine.ts';
import type { FaultPlan, FaultRule } from './plan.ts';

const factName = 'faults';

interface Stored {
  /** Another one each time, so that setting the same plan again starts it from the beginning. */
  setting: string;
  plan: FaultPlan;
}

export function keepFaultPlan(database: Database, plan: FaultPlan): void {
  const stored: Stored = { setting: newId(), plan };
  writeFact(database, factName, stored);
}

export function clearFaultPlan(database: Database): void {
  database.run('DELETE FROM sandbox_facts WHERE name = ?', factName);
}

export function faultPlan(database: Database): FaultPlan | undefined {
  return readFact(database, factName, isStored)?.plan;
}

/**
 * Answers what decides about the next request; undefined while there is no plan. Looked for where the file has another
 * version, and made anew when the plan is set.
 */
export function faultsOf(database: Database): (version: string) => Faults | undefined {
  let seen: string | undefined;
  let known: string | undefined;
  let faults: Faults | undefined;
  return (version) => {
    if (version === seen) return faults;
    const text = storedText(database);
    if (text !== known) {
      faults = text === undefined ? undefined : new Faults(jsonIn(text, database, isStored).plan);
      known = text;
    }
    seen = version;
    return faults;
  };
}

function storedText(database: Database): string | undefined {
  const value = database.get('SELECT value FROM sandbox_facts WHERE name = ?', factName)?.value;
  return value === undefined ? undefined : String(value);
}

/** It was checked whole before it was kept: what is looked at here is what deciding rests on. */
function isStored(value: unknown): value is Stored {
  if (!isObject(value) || !isText(value.setting) || !isObject(value.plan)) return false;
  const { seed, rules } = value.plan;
  return typeof seed === 'number' && isListOf(isRule)(rules);
}

function isRule(rule: unknown): rule is FaultRule {
  if (!isObject(rule) || !isText(rule.route) || !isText(rule.fault)) return false;
  const { probability, nth = [] } = rule;
  return typeof probability === 'number' && Array.isArray(nth);
}
