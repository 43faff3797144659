/** Expands `${VAR}` and `${VAR:-default}` in a string; `$${` is an escaped `${`. */
import type { Environment } from '../../../base/environment.ts';

const variablePattern = /\$\$\{|\$\{([^}]*)\}?/g;
/** Matches strings that consist only of variables without defaults. */
export const onlyVariables = /^(\$\{[A-Za-z_]\w*\})+$/;
/**
 * Matches the inside of a variable. A default can't contain another variable, because it ends at the first bracket.
 */
const variableContent = /^([A-Za-z_]\w*)(?::-((?:(?!\$\{)[\s\S])*))?$/;

export function hasVariables(text: string): boolean {
  return text.includes('${');
}

/** Returns a value in which `${` is escaped as `$${`, so that a manifest doesn't expand it. */
export function escapeVariables(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', '$$$${');
  if (Array.isArray(value)) return value.map(escapeVariables);
  if (typeof value !== 'object' || value === null || value instanceof Number) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, nestedValue]) => [name, escapeVariables(nestedValue)]),
  );
}

/** A string with its variables expanded, and their names; or the reason why it can't be expanded. */
export type ExpandedText =
  | { text: string; expanded: readonly string[]; problem?: never }
  | { text?: never; problem: string };

/** Expands the variables of a string. An empty variable counts as unset, as in shells. */
export function expandVariables(template: string, env: Environment): ExpandedText {
  let problem: string | undefined;
  const expanded = new Set<string>();
  const text = template.replaceAll(variablePattern, (match, content: string | undefined) => {
    if (match === '$${') return '${';
    const [, name = '', defaultValue] = variableContent.exec(content ?? '') ?? [];
    if (name === '' || !match.endsWith('}')) {
      problem ??= `has an invalid variable: ${match} (write \${NAME} or \${NAME:-default})`;
      return '';
    }
    const value = env[name] === '' ? undefined : env[name];
    if (value === undefined && defaultValue === undefined)
      problem ??= `needs the variable ${name}, which is not set`;
    if (value !== undefined) expanded.add(name);
    return value ?? defaultValue ?? '';
  });
  return problem === undefined ? { text, expanded: [...expanded] } : { problem };
}
