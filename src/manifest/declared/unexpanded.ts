/** Variables of a record that can't be expanded: a mistake, except where their value isn't needed. */
import type { Resource } from '../../contract/resource.ts';
import type { Mistakes } from '../source/mistakes.ts';
import { type MapNode, type Node, unexpandedIn } from '../source/node.ts';
import { fieldNamed, manifestFields } from './fields.ts';

/** Reports variables that can't be expanded, except in secrets, which are only needed when they are sent. */
export function withoutUnexpanded(node: MapNode, resource: Resource, mistakes: Mistakes): MapNode {
  const fields = manifestFields(resource);
  const isSecret = (name: string) => fieldNamed(fields, name)?.field.traits.secret === true;
  const wrong = new Set<Node>();
  for (const { name, value } of node.entries)
    for (const each of isSecret(name) ? [] : unexpandedIn(value)) {
      mistakes.add(each.at, each.problem ?? '');
      wrong.add(each);
    }
  return wrong.size === 0 ? node : (broken(node, wrong) as MapNode);
}

/** Returns the node with broken nodes in place of some. */
function broken(node: Node, wrong: ReadonlySet<Node>): Node {
  if (wrong.has(node)) return { kind: 'broken', at: node.at };
  if (node.kind === 'list') return { ...node, items: node.items.map((item) => broken(item, wrong)) };
  if (node.kind !== 'map') return node;
  return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: broken(entry.value, wrong) })) };
}
