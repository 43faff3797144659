/**
 * Makes a chunk export the final value of each name, unless it is assigned again somewhere. A getter for each name,
 * for the few that change, is made at every start, and run at each use.
 */
import type { Plugin } from 'rolldown';

const getter =
  /Object\.defineProperty\(exports, "([\w$]+)", \{\n\tenumerable: !0,\n\tget: function\(\) \{\n\t\treturn ([\w$]+);\n\t\}\n\}\)/g;

export function plainExports(): Plugin {
  return {
    name: 'plain-exports',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !file.code.includes('Object.defineProperty(exports, "')) continue;
        const assigned = assignedIn(this.parse(file.code));
        file.code = file.code.replace(getter, (text, name: string, value: string) =>
          assigned.has(value) ? text : `exports.${name} = ${value}`,
        );
      }
    },
  };
}

/** Names that are given another value than that of their declaration, whatever they name where. */
function assignedIn(program: object): ReadonlySet<string> {
  const names = new Set<string>();
  walk(program, (node) => {
    const { type, left, argument } = node as { type: string; left?: object; argument?: object };
    if (type === 'UpdateExpression') walk(argument, nameIn(names));
    if (/^(Assignment|For(In|Of))/.test(type)) walk(left, nameIn(names));
  });
  return names;
}

/** Returns the names in a pattern, or before the dot. An extra name has no effect. */
function nameIn(names: Set<string>): (node: object) => void {
  return (node) => {
    if ('type' in node && node.type === 'Identifier' && 'name' in node) names.add(String(node.name));
  };
}

function walk(value: unknown, visit: (node: object) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) visit(value);
  for (const inner of Object.values(value)) walk(inner, visit);
}
