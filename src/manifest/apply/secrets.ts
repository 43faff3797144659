/** The secrets of an apply: its ledger knows the variables that they come from, and never what these hold. */
import type { Environment } from '../../base/environment.ts';
import { type FieldMessages, usage } from '../../base/errors.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { SecretsOf } from '../../runs/secrets.ts';
import { fillVariables } from '../source/variables.ts';

/** By the name of the row, then of the field: `${PIN}`. */
export type SecretsByRow = Record<string, Record<string, string>>;

export function noteSecrets(ledger: Ledger, secrets: SecretsByRow): void {
  if (Object.keys(secrets).length > 0) ledger.setFact('secrets', secrets);
}

/** Throws `usage` with every variable that a row which is still to be sent needs and that isn’t set. */
export function demandSecrets(ledger: Ledger, env: Environment): void {
  const all = ledger.fact('secrets') as SecretsByRow | undefined;
  if (!all) return;
  const fields: FieldMessages = Object.create(null);
  for (const { name } of ledger.rows('planned', 'sent', 'unknown')) {
    for (const [field, template] of Object.entries(all[name ?? ''] ?? {})) {
      const { problem } = fillVariables(template, env);
      if (problem !== undefined) fields[`${name} ${field}`] = [problem];
    }
  }
  if (Object.keys(fields).length === 0) return;
  throw usage('Secrets of new records come from variables; nothing was sent.', {
    fields,
    hint: 'Set them, and run the same line again.',
    outcome: 'not_sent',
  });
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
