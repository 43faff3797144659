/** The secrets of an apply: the ledger contains the names of their variables, and never the values. */

import type { Api } from '../../../api/contract/api.ts';
import type { Environment } from '../../../base/environment.ts';
import { type FieldMessages, usage } from '../../../base/errors.ts';
import { redactionMarker } from '../../../base/redaction.ts';
import { rereadSecrets } from '../../bulk/plan/reread-secrets.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import type { ReadSecrets } from '../../runs/secrets-reader.ts';
import { expandVariables } from '../source/variables.ts';

/** Templates such as `${PIN}`, by the name of the row and then of the field. */
export type SecretsByRow = Record<string, Record<string, string>>;

export function storeSecrets(ledger: Ledger, secrets: SecretsByRow): void {
  if (Object.keys(secrets).length > 0) ledger.setProperty('secrets', secrets);
}

/** Throws `usage` with every unset variable that an unsent row needs. */
export function requireSecrets(ledger: Ledger, env: Environment): void {
  const templatesByRow = ledger.property('secrets') as SecretsByRow | undefined;
  if (!templatesByRow) return;
  const fields: FieldMessages = Object.create(null);
  for (const { name } of ledger.rows('planned', 'sent', 'unknown')) {
    for (const [field, template] of Object.entries(templatesByRow[name ?? ''] ?? {})) {
      const { problem } = expandVariables(template, env);
      if (problem !== undefined) fields[`${name} ${field}`] = [problem];
    }
  }
  if (Object.keys(fields).length === 0) return;
  throw usage('Variables with the secrets of new records are not set; nothing was sent.', {
    fields,
    hint: 'Set them and run the command again.',
    outcome: 'not_sent',
  });
}

/**
 * Returns a function that supplies the secrets of a row when it is sent, also in a resumed run; undefined if no row
 * has any.
 */
export function secretsOfRun(ledger: Ledger, env: Environment): ReadSecrets | undefined {
  const templatesByRow = ledger.property('secrets') as SecretsByRow | undefined;
  if (!templatesByRow) return undefined;
  return async ({ name }) => {
    const entries = Object.entries(templatesByRow[name ?? ''] ?? {}).map(([field, template]) => {
      const expansion = expandVariables(template, env);
      if (expansion.problem !== undefined) throw usage(`${field} of ${name} ${expansion.problem}.`);
      return [field, expansion.text];
    });
    return Object.fromEntries(entries);
  };
}

/**
 * Returns a function that supplies the secrets of the remaining rows of any run. `close` closes their file. Throws
 * `usage` before anything is sent if a secret is missing.
 */
export async function remainingSecrets(
  ledger: Ledger,
  env: Environment,
  api: Api,
): Promise<{ secretsOf: ReadSecrets | undefined; close(): Promise<void> }> {
  requireUnchangedSecrets(ledger);
  requireSecrets(ledger, env);
  const declared = secretsOfRun(ledger, env);
  const reread = declared ? undefined : await rereadSecrets(ledger, api);
  return { secretsOf: declared ?? reread?.secretsOf, close: async () => reread?.close() };
}

/** Throws `usage` with the secrets that remaining rows need and whose values have changed since the plan. */
function requireUnchangedSecrets(ledger: Ledger): void {
  const missing = ledger.references.missing();
  if (missing.length === 0) return;
  // An unknown value stays redacted.
  const hasRedactedValue = ({ steps }: LedgerRow) => JSON.stringify(steps).includes(redactionMarker);
  if (!ledger.rows('planned', 'sent', 'unknown').some(hasRedactedValue)) return;
  throw usage(
    `This run needs ${missing.join(', ')}, which is not set or has changed. Ledgers don't store secrets. Nothing was sent.`,
    {
      hint: 'Set the original value and resume again, or start a new run with the remaining rows.',
      outcome: 'not_sent',
    },
  );
}
