/**
 * Exports names as plain values instead of getters, unless they are reassigned. The bundler creates a getter for every
 * name at each start, and calls it at each use.
 */
import type { Plugin } from 'rolldown';

const getter =
  /Object\.defineProperty\(exports, "([\w$]+)", \{\n\tenumerable: !0,\n\tget: function\(\) \{\n\t\treturn ([\w$]+);\n\t\}\n\}\)/g;

/** Returns the rolldown plugin that replaces the getters of exports with assignments. */
export function exportPlainValues(): Plugin {
  return {
    name: 'plain-exports',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !file.code.includes('Object.defineProperty(exports, "')) continue;
        const getterNames = reassignedNames(this.parse(file.code));
        file.code = file.code.replace(getter, (text, name: string, value: string) =>
          getterNames.has(value) ? text : `exports.${name} = ${value}`,
        );
      }
    },
  };
}

/** Returns the names that are reassigned anywhere in the program. Ignores scopes. */
function reassignedNames(program: object): ReadonlySet<string> {
  const names = new Set<string>();
  visitNodes(program, (node) => {
    const { type, left, argument } = node as { type: string; left?: object; argument?: object };
    if (type === 'UpdateExpression') visitNodes(argument, nameCollector(names));
    if (/^(Assignment|For(In|Of))/.test(type)) visitNodes(left, nameCollector(names));
  });
  return names;
}

/** Returns a visitor that adds all identifiers, including property names: an extra name has no effect. */
function nameCollector(names: Set<string>): (node: object) => void {
  return (node) => {
    if ('type' in node && node.type === 'Identifier' && 'name' in node) names.add(String(node.name));
  };
}

function visitNodes(value: unknown, visit: (node: object) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) visit(value);
  for (const inner of Object.values(value)) visitNodes(inner, visit);
}
