/** Records of a declaration that are deleted in the account, and would be brought back: a copy of the account doesn’t have them. */
import { isDeleted } from '../session/list.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import type { InCopy } from './copied-names.ts';
import { type Declaration, type Declared, formOf, keyText } from './declared/declared.ts';
import { Ref } from './declared/ref.ts';
import { makePlan } from './plan/make-plan.ts';
import { refsOf } from './plan/wants.ts';
import type { Pulled } from './pull/pull.ts';

/** The declaration without them, and without what names them; with a sentence for each. Asks for what the copy doesn’t have. */
export async function withoutBroughtBack(
  declaration: Declaration,
  pulled: Pulled,
  account: Session,
  signal: AbortSignal,
): Promise<InCopy> {
  const missing = declaration.records.filter((record) => record.resource.restore && !isIn(pulled, record));
  if (missing.length === 0) return { declaration, limits: [] };
  const asked = { ...declaration, records: missing };
  const { matches } = await makePlan({
    session: account,
    declaration: asked,
    prune: [],
    isCompared: true,
    signal,
  });
  const gone = new Map<Declared, Row>();
  for (const record of missing) {
    const row = matches.get(record);
    if (row && isDeleted(row)) gone.set(record, row);
  }
  const naming = declaration.records.filter(
    (record) => !gone.has(record) && refsOf(record).some((ref) => isOneOf(ref, gone)),
  );
  const limits = [
    ...[...gone.keys()].map(
      (record) =>
        `Not in the copy, as it is deleted in the account and would be brought back: the ${named(record)}`,
    ),
    ...naming.map(
      (record) => `Not tried in the copy, as it names what would be brought back: the ${named(record)}`,
    ),
  ];
  const left = new Set([...gone.keys(), ...naming]);
  return {
    declaration: { ...declaration, records: declaration.records.filter((record) => !left.has(record)) },
    limits,
  };
}

function named(record: Declared): string {
  return `${record.resource.noun} ${keyText(record)}`;
}

/** Whether a record of the copy is called so, or is to be called so. */
function isIn({ keys }: Pulled, { resource, key, oldKey }: Declared): boolean {
  const own = keys.get(resource.name);
  const isCalled = (parts: Declared['key']) =>
    parts.every(({ value }) => typeof value === 'string' && own?.isCalled(value, undefined));
  return isCalled(key) || (oldKey !== undefined && isCalled(oldKey));
}

function isOneOf({ target, by }: Ref, gone: ReadonlyMap<Declared, Row>): boolean {
  for (const [{ resource, given }, row] of gone) {
    if (resource.name !== target) continue;
    const values = (name: string) => [row[name], given.get(name)?.value].filter((value) => value != null);
    const has = (name: string, value: unknown) =>
      value instanceof Ref ||
      values(name).some((one) => formOf(resource, name, one) === formOf(resource, name, value));
    if (by.kind === 'id' && row.id === by.id) return true;
    if (by.kind === 'text' && ['id', ...resource.key].some((name) => has(name, by.text))) return true;
    if (by.kind === 'fields' && Object.entries(by.fields).every(([name, value]) => has(name, value)))
      return true;
  }
  return false;
}
