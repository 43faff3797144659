/** What records that are named by id alone are called, as far as that is known. */
import type { Row } from '../../client/shape.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Context } from '../../interaction/context.ts';

export type Names = ReadonlyMap<string, string>;

/** Those of a field’s target that the account is known to have: the API has no list of branches and the like. */
export async function namesOf(
  { api, session }: Context,
  { fields }: Resource,
  field: string,
): Promise<Names> {
  const target = fields[field]?.traits.target;
  if (target === undefined || !api.reference(target)?.isNamed) return new Map();
  const known = await (await session()).references(target);
  return new Map(known.map(({ id, name }) => [id, name]));
}

export function nameOf(record: Row, names: Names): string {
  const { id, name } = record;
  return typeof name === 'string' && name !== '' ? name : (names.get(String(id)) ?? String(id));
}
