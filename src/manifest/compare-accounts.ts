/** Two accounts held against each other, without files: one is taken as declared, the other compared with it. */
import type { Resource } from '../contract/resource.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import { declarationFrom } from './declared/from-values.ts';
import { makePlan, type Plan } from './plan/make-plan.ts';
import { pull } from './pull/pull.ts';

export interface Comparison {
  from: Session;
  to: Session;
  /** None: everything that says how a business is set up. */
  resources: readonly Resource[] | undefined;
  /** Fields that may differ, those of links among them. */
  ignored: readonly string[];
  signal?: AbortSignal | undefined;
}

/**
 * `create`: only the first has it, `delete`: only the second. Records are the same by their keys, and what they point
 * at by its name: ids mean nothing in another account.
 */
export async function compareAccounts({ from, to, resources, ignored, signal }: Comparison): Promise<Plan> {
  const { resources: pulled, left } = await pull({ session: from, resources, isExact: true });
  const values = pulled.map(({ resource, records }) => [
    resource.command,
    records.map((record) => without(record, ignored)),
  ]);
  const called = from.settings.profile ?? 'from';
  const declaration = await declarationFrom(Object.fromEntries(values), called, from.api);
  const compared = pulled.map(({ resource }) => resource).filter((resource) => resource.delete);
  const plan = await makePlan({ session: to, declaration, prune: compared, isCompared: true, signal });
  const hidden = left.map(({ nouns }) => `The token does not allow to list ${nouns}: they are left out.`);
  const unnamed = pulled.flatMap(({ remarks }) =>
    remarks.filter((remark) => remark.includes('left out: nothing')),
  );
  return { ...plan, remarks: [...hidden, ...unnamed, ...plan.remarks] };
}

/** A field by which the record is known stays. */
function without(record: Row, ignored: readonly string[]): Row {
  const key = Array.isArray(record.$key) ? record.$key : [];
  const entries = Object.entries(record).filter(([name]) => key.includes(name) || !ignored.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutIn(value, ignored)]));
}

function withoutIn(value: unknown, ignored: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutIn(item, ignored));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      ignored.includes(name) ? [] : [[name, withoutIn(inner, ignored)]],
    ),
  );
}
