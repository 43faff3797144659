/** Resolves the names of related records to ids: each name once, 100 at a time. Rows with unknown names become invalid. */

import { Failure } from '../../base/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Intent } from '../../runs/intent.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { rowError } from '../../runs/row-error.ts';
import { lookupsIn, replaceLookups } from '../../session/map-ids.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { RowProblem } from '../../tables/table.ts';

/** Replaces the names of related records with ids in all rows. A row with an unknown name becomes invalid. */
export async function resolveNames(ledger: Ledger, resource: Resource, session: Session): Promise<void> {
  const names = new NameLookups(session);
  const operations = ['create', 'update'].flatMap((verb) => operation(resource, verb) ?? []);
  // Rows that are invalid for another reason get the errors about unknown names too.
  for (const rows of ledger.batches('read', 'bad')) {
    const calls = rows.flatMap((row) => callsOf(row, operations));
    await names.load(calls.map(({ call }) => call));
    ledger.write(() => {
      for (const row of rows) resolveRow(ledger, row, operations, names);
    });
  }
}

function resolveRow(
  ledger: Ledger,
  row: LedgerRow,
  operations: readonly Operation[],
  names: NameLookups,
): void {
  const intent = row.intent as Intent;
  const problems: RowProblem[] = [];
  const body = { ...intent.body };
  const calls = callsOf(row, operations);
  if (calls.length === 0) return;
  for (const { call } of calls) {
    for (const { name, responseName } of call.operation.body) {
      if (!Object.hasOwn(body, name)) continue;
      // Each field is resolved separately, so that errors name the field.
      const resolved = replaceLookups({ ...call, body: { [name]: body[name] } }, (target, text) => {
        const result = names.get(target, text);
        if (!(result instanceof Failure)) return result;
        const message = `can't be resolved: ${result.message.replace(/\.$/, '')}`;
        if (!problems.some((problem) => problem.column === responseName && problem.what === message))
          problems.push({ column: responseName, what: message });
        return text;
      });
      body[name] = resolved.body?.[name];
    }
  }
  const previousProblems = row.error?.problems as RowProblem[] | undefined;
  ledger.change(row.seq, {
    intent: { ...intent, body },
    ...(problems.length > 0 && {
      state: 'bad' as const,
      error: rowError([...(previousProblems ?? []), ...problems]),
    }),
  });
}

interface CallWithLookups {
  call: { operation: Operation; body: Row };
}

function callsOf({ intent }: LedgerRow, operations: readonly Operation[]): CallWithLookups[] {
  const { body } = intent as Intent;
  return operations
    .map((operation) => ({ call: { operation, body } }))
    .filter(({ call }) => lookupsIn(call).size > 0);
}

/** Looks up each name once at the service, and caches the results. */
class NameLookups {
  readonly #session: Session;
  readonly #results = new Map<string, Map<string, string | Failure>>();

  constructor(session: Session) {
    this.#session = session;
  }

  async load(calls: readonly { operation: Operation; body: Row }[]): Promise<void> {
    const lookupsByTarget = new Map<string, Set<string>>();
    for (const call of calls) {
      for (const [target, lookups] of lookupsIn(call)) {
        const cached = this.#results.get(target);
        const uncachedLookups = [...lookups].filter((text) => !cached?.has(text));
        lookupsByTarget.set(target, new Set([...(lookupsByTarget.get(target) ?? []), ...uncachedLookups]));
      }
    }
    for (const [target, lookups] of lookupsByTarget) {
      if (lookups.size === 0) continue;
      const results = await this.#session.names.find(target, [...lookups], { orId: true });
      this.#results.set(target, new Map([...(this.#results.get(target) ?? []), ...results]));
    }
  }

  get(target: string, text: string): string | Failure {
    return this.#results.get(target)?.get(text) ?? text;
  }
}
