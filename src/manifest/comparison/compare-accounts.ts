/** Compares two accounts without files: every active record that both tokens may list, with all that answers show of it. */
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { Pauses } from '../pauses.ts';
import type { Difference } from '../plan/change.ts';
import { comparedFields, comparedValue, shownIn } from './compared-values.ts';
import { onlyHere, onlyThere, recordDifference } from './differences.ts';
import { type ComparedRecord, pairRecords } from './pair-records.ts';
import { type AccountRecords, readAccount } from './read-account.ts';

export interface ComparedAccounts {
  from: Session;
  to: Session;
  /** None: all that can be listed. */
  resources: readonly Resource[] | undefined;
  /** Fields that may differ, those of links among them. */
  ignored: readonly string[];
  signal?: AbortSignal | undefined;
}

export interface Comparison {
  /** `create`: only the first account has it, `delete`: only the second. Resource by resource, deletions last. */
  changes: Difference[];
  /** How many records are the same in both. */
  same: number;
  /** Sentences on what could not be compared: where there are any, nobody can say that the accounts are the same. */
  notCompared: string[];
}

/** Records are the same by their keys, and what they point at by its name: ids mean nothing in another account. */
export async function compareAccounts(accounts: ComparedAccounts): Promise<Comparison> {
  const { from, to, ignored, signal } = accounts;
  const order = from.api.dependencyOrder().map(({ resource }) => resource);
  const wanted = accounts.resources ?? order.filter(({ list }) => list !== undefined);
  const pauses = new Pauses(signal);
  const needed = accounts.resources ?? [];
  const ours = await readAccount(from, wanted, needed);
  const theirs = await readAccount(to, wanted, needed);
  const found: Comparison = { changes: [], same: 0, notCompared: [] };
  const gone: Difference[] = [];
  for (const resource of order.filter((each) => wanted.includes(each))) {
    const hidden = [ours, theirs].filter((account) => !account.rowsOf(resource));
    if (hidden.length > 0) {
      found.notCompared.push(notListed(resource, hidden));
      continue;
    }
    await pauses.takeIfDue();
    const compared = compareResource(resource, { ours, theirs, wanted, ignored });
    found.changes.push(...compared.changes);
    gone.push(...compared.gone);
    found.same += compared.same;
    found.notCompared.push(...compared.notCompared);
  }
  found.changes.push(...gone);
  return found;
}

interface Comparing {
  ours: AccountRecords;
  theirs: AccountRecords;
  wanted: readonly Resource[];
  ignored: readonly string[];
}

function compareResource(
  resource: Resource,
  { ours, theirs, wanted, ignored }: Comparing,
): Comparison & { gone: Difference[] } {
  const rows = [ours, theirs].map((account) => account.rowsOf(resource) ?? []);
  const all = comparedFields(resource, wanted, ignored);
  // What no record shows is not known of any of them.
  const lacking = all.map(([name, field]) =>
    [ours, theirs].filter(
      (_, at) => rows[at]?.length && !rows[at].some((row) => isShown(row, name, field.kind)),
    ),
  );
  const fields = all.filter((_, at) => lacking[at]?.length === 0);
  const compared = (account: AccountRecords): ComparedRecord[] =>
    (account.rowsOf(resource) ?? []).map((row) => {
      const values = new Map(
        fields.map(([name, field]) => [
          name,
          comparedValue(field, shownIn(row, name, field), account, ignored),
        ]),
      );
      return { row, values, mark: JSON.stringify([...values.values()]) };
    });
  const paired = pairRecords(resource, compared(ours), compared(theirs));
  const changes = paired.pairs.flatMap(
    ([one, other]) => recordDifference(resource, fields, one, other) ?? [],
  );
  return {
    changes: [...paired.ours.map((one) => onlyHere(resource, fields, one)), ...changes].sort(byKey),
    gone: paired.theirs.map((one) => onlyThere(resource, one)).sort(byKey),
    same: paired.pairs.length - changes.length,
    notCompared: notShown(
      resource,
      all.map(([name], at) => ({ name, without: lacking[at] ?? [] })),
    ),
  };
}

function isShown(row: Row, name: string, kind: string): boolean {
  return Object.hasOwn(row, name) || (kind === 'one' && Object.hasOwn(row, `${name}_id`));
}

function byKey(one: Difference, other: Difference): number {
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

function notListed({ nouns, list }: Resource, hidden: readonly AccountRecords[]): string {
  const scope = list ? ` (it needs the scope ${[list.scope].flat().join(' or ')})` : '';
  const whose = hidden.map(({ profile }) => profile).join(' and that of ');
  return `Not compared: ${nouns}. The token of ${whose} may not list them${scope}.`;
}

/** One sentence for all fields that the same accounts don't show. */
function notShown(
  { nouns }: Resource,
  fields: readonly { name: string; without: readonly AccountRecords[] }[],
): string[] {
  const byAccounts = Map.groupBy(fields, ({ without }) =>
    without.map(({ profile }) => profile).join(' and '),
  );
  byAccounts.delete('');
  return [...byAccounts].map(([profiles, some]) => {
    const names = some.map(({ name }) => name).join(', ');
    return `Not compared: ${names} of ${nouns}. ${profiles} ${profiles.includes(' and ') ? 'don’t' : 'doesn’t'} show ${some.length > 1 ? 'them' : 'it'}.`;
  });
}
