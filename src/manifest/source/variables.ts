/** `${VAR}` and `${VAR:-default}` in a text; `$${` stands for `${` itself. */
import type { Environment } from '../../base/environment.ts';

const form = /\$\$\{|\$\{([^}]*)\}?/g;
/** Texts of which nothing stands there itself, not as a default either. */
export const variablesAlone = /^(\$\{[A-Za-z_]\w*\})+$/;
/** A default that holds another variable would end at its bracket: it is none. */
const inner = /^([A-Za-z_]\w*)(?::-((?:(?!\$\{)[\s\S])*))?$/;

export function hasVariables(text: string): boolean {
  return text.includes('${');
}

/** A value as it is to stand in a manifest: what looks like a variable in its texts is none. */
export function withoutVariables(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', '$$$${');
  if (Array.isArray(value)) return value.map(withoutVariables);
  if (typeof value !== 'object' || value === null || value instanceof Number) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutVariables(inner)]));
}

/** A template with its variables filled in, and the names of those whose values are in it; or why it can't be filled. */
export type Filled =
  | { text: string; expanded: readonly string[]; problem?: never }
  | { text?: never; problem: string };

/** An empty variable is as good as none, as in shells. */
export function fillVariables(template: string, env: Environment): Filled {
  let problem: string | undefined;
  const expanded = new Set<string>();
  const text = template.replaceAll(form, (whole, inside: string | undefined) => {
    if (whole === '$${') return '${';
    const [, name = '', otherwise] = inner.exec(inside ?? '') ?? [];
    if (name === '' || !whole.endsWith('}')) {
      problem ??= `has no variable that can be read: ${whole} (write \${NAME} or \${NAME:-default})`;
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
