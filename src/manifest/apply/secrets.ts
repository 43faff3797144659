/** The secrets of an apply: its ledger knows the variables that they come from, and never what these hold. */
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import type { SecretsOf } from '../../bulk/run/secrets.ts';
import type { Environment } from '../../environment.ts';
import { usage } from '../../errors.ts';
import { fillVariables } from '../source/variables.ts';

/** By the name of the row, then of the field: `${PIN}`. */
export type SecretsByRow = Record<string, Record<string, string>>;

export function noteSecrets(ledger: Ledger, secrets: SecretsByRow): void {
  if (Object.keys(secrets).length > 0) ledger.setFact('secrets', secrets);
}

/** Undefined where no row of the run has any. Asked when a row is sent: also of a run that is gone on with. */
export function secretsOfRun(ledger: Ledger, env: Environment): SecretsOf | undefined {
  const all = ledger.fact('secrets') as SecretsByRow | undefined;
  if (!all) return undefined;
  return async ({ name }) => {
    const own = Object.entries(all[name ?? ''] ?? {}).map(([field, template]) => {
      const filled = fillVariables(template, env);
      if (filled.problem !== undefined) throw usage(`${field} of ${name} ${filled.problem}.`);
      return [field, filled.text];
    });
    return Object.fromEntries(own);
  };
}
