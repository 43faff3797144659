/** Expands `${VAR}` and `${VAR:-default}` in a text; `$${` stands for `${` itself. */
import type { Environment } from '../../base/environment.ts';

const form = /\$\$\{|\$\{([^}]*)\}?/g;
/** Matches texts that consist only of variables without defaults. */
export const variablesAlone = /^(\$\{[A-Za-z_]\w*\})+$/;
/**
 * Matches the inside of a variable. A default can't contain another variable, because it ends at the first bracket.
 */
const inner = /^([A-Za-z_]\w*)(?::-((?:(?!\$\{)[\s\S])*))?$/;

/** Returns whether a text may contain variables. */
export function hasVariables(text: string): boolean {
  return text.includes('${');
}

/** Returns a value for a manifest in which texts that look like variables are escaped. */
export function withoutVariables(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', '$$$${');
  if (Array.isArray(value)) return value.map(withoutVariables);
  if (typeof value !== 'object' || value === null || value instanceof Number) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutVariables(inner)]));
}

/** A text with its variables expanded, and their names; or why it can't be expanded. */
export type Filled =
  | { text: string; expanded: readonly string[]; problem?: never }
  | { text?: never; problem: string };

/** Expands the variables of a text. An empty variable counts as unset, as in shells. */
export function fillVariables(template: string, env: Environment): Filled {
  let problem: string | undefined;
  const expanded = new Set<string>();
  const text = template.replaceAll(form, (whole, inside: string | undefined) => {
    if (whole === '$${') return '${';
    const [, name = '', otherwise] = inner.exec(inside ?? '') ?? [];
    if (name === '' || !whole.endsWith('}')) {
      problem ??= `has an invalid variable: ${whole} (write \${NAME} or \${NAME:-default})`;
      return '';
    }
    const value = env[name] === '' ? undefined : env[name];
    if (value === undefined && otherwise === undefined)
      problem ??= `needs the variable ${name}, which is not set`;
    if (value !== undefined) expanded.add(name);
    return value ?? otherwise ?? '';
  });
  return problem === undefined ? { text, expanded: [...expanded] } : { problem };
}
