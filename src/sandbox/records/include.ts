/** Reads which relations a response includes: `include=addresses,addresses.delivery_zone` as a tree. */
import type { Fields } from '../../contract/field.ts';
import { scopesToInclude } from '../../contract/include.ts';
import type { Resource } from '../../contract/resource.ts';
import { describeScopes } from '../access/access.ts';
import type { Grant } from '../access/tokens.ts';
import { badRequest, unauthorized } from '../http/http-error.ts';
import type { Tables } from '../store/tables.ts';

/** A tree of relations. */
export type Include = ReadonlyMap<string, Include>;

type Tree = Map<string, Tree>;

/** Includes no relation. */
export const noRelations: Include = new Map();

/** The maximum depth: relations can be circular, and each level multiplies the response. */
const maxDepth = 4;

/** Reads the parameter. Refuses relations that can't be included or that the token may not see. */
export function readInclude(
  tables: Tables,
  grant: Grant,
  resource: Resource,
  text: string | undefined,
): Include {
  const tree: Tree = new Map();
  for (const path of text?.split(',') ?? []) {
    addPath(tables, tree, resource.fields, path);
    const missingScopes = scopesToInclude(resource, path).find(
      (scopes) => !scopes.some((one) => grant.scopes.has(one)),
    );
    if (missingScopes) throw unauthorized(`Including ${path} needs ${describeScopes(missingScopes)}.`);
  }
  return tree;
}

function addPath(tables: Tables, tree: Tree, fields: Fields, path: string): void {
  const parts = path.split('.');
  if (parts.length > maxDepth) throw badRequest(`${path} has more than ${maxDepth} relations.`);
  let [branch, branchFields] = [tree, fields];
  for (const part of parts) {
    const field = Object.hasOwn(branchFields, part) ? branchFields[part] : undefined;
    if (!field?.traits.includable) {
      const names = Object.keys(branchFields).filter((name) => branchFields[name]?.traits.includable);
      throw badRequest(
        `${path} can't be included${part === path ? '' : `: ${part} is not an includable relation`}. Known: ${names.join(', ') || 'none'}.`,
      );
    }
    const next: Tree = branch.get(part) ?? new Map();
    branch.set(part, next);
    const { target, fields: nestedFields } = field.traits;
    [branch, branchFields] = [next, nestedFields ?? (target ? tables.named(target).fields : {})];
  }
}
