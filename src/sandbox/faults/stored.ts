/** The plan of faults that a sandbox keeps, so that a running server follows what another process sets. */
import type { Database } from '../../storage/database.ts';
import { newId } from '../ids.ts';
import { writeFact } from '../store/facts.ts';
import { Faults } from './engine.ts';
import type { FaultPlan } from './plan.ts';

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
  const text = storedText(database);
  return text === undefined ? undefined : (JSON.parse(text) as Stored).plan;
}

/** Answers what decides about the next request; undefined while there is no plan. Made anew when the plan is set. */
export function faultsOf(database: Database): () => Faults | undefined {
  let known: string | undefined;
  let faults: Faults | undefined;
  return () => {
    const text = storedText(database);
    if (text !== known) {
      known = text;
      faults = text === undefined ? undefined : new Faults((JSON.parse(text) as Stored).plan);
    }
    return faults;
  };
}

function storedText(database: Database): string | undefined {
  const value = database.get('SELECT value FROM sandbox_facts WHERE name = ?', factName)?.value;
  return value === undefined ? undefined : String(value);
}
