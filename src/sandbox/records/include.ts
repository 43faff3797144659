/** Parses the included relations of a request as a tree, for example `include=addresses,addresses.delivery_zone`. */
import type { Fields } from '../../contract/field.ts';
import { scopesToInclude } from '../../contract/include.ts';
import type { Resource } from '../../contract/resource.ts';
import { describeScopes } from '../access/access.ts';
import type { OperationCall } from '../context.ts';
import { badRequest, unauthorized } from '../http/http-error.ts';
import type { Tables } from '../store/tables.ts';

/** The tree of included relations. */
export type Include = ReadonlyMap<string, Include>;

type Tree = Map<string, Tree>;

/** The tree without relations. */
export const noRelations: Include = new Map();

/** The maximum depth. Relations can be circular, and each level multiplies the size of the response. */
const maxDepth = 4;

/**
 * Parses the parameter. Refuses relations that can't be included or that the token can't read. A lenient sandbox ignores
 * empty names, such as that after a trailing comma.
 */
export function parseInclude(
  { tables, grant, variant }: Pick<OperationCall, 'tables' | 'grant' | 'variant'>,
  resource: Resource,
  text: string | undefined,
): Include {
  const tree: Tree = new Map();
  const isStrict = variant['wire.requests'] === 'strict';
  for (const path of text?.split(',').filter((name) => isStrict || name !== '') ?? []) {
    addPath(tables, tree, resource.fields, path);
    const missingScopes = scopesToInclude(resource, path).find(
      (scopes) => !scopes.some((scope) => grant.scopes.has(scope)),
    );
    if (missingScopes) throw unauthorized(`Including ${path} requires ${describeScopes(missingScopes)}.`);
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
        `${path} can't be included${part === path ? '' : `: ${part} is not an includable relation`}. Includable: ${names.join(', ') || 'none'}.`,
      );
    }
    const childBranch: Tree = branch.get(part) ?? new Map();
    branch.set(part, childBranch);
    const { target, fields: nestedFields } = field.traits;
    [branch, branchFields] = [childBranch, nestedFields ?? (target ? tables.get(target).fields : {})];
  }
}
