/** User-defined rules: YAML with a SELECT over the mirror's tables that returns the records with the problem. */

import { isRow } from '../../account/session/row.ts';
import type { Api } from '../../api/contract/api.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { usage } from '../../base/errors.ts';
import { parseYamlValues } from '../../base/yaml-values.ts';
import { bindParameters, runQuery } from '../mirror/query/run-query.ts';
import type { Reader } from '../mirror/stores/store.ts';
import { createFinding, type Finding } from './finding.ts';
import { type Severity, severities } from './rule.ts';

export interface UserRule {
  name: string;
  severity: Severity;
  resource: Resource;
  /** The message of the finding, with {column} for values of the row. */
  message: string;
  /** A query that returns the bad records, with their IDs in the column `id`. */
  sql: string;
  summary: string;
}

/** Parses the rules of a file, one in each YAML document. Throws one usage failure with all problems. */
export function parseUserRules(text: string, file: string, api: Api): UserRule[] {
  const fields: Record<string, string[]> = {};
  const rules = parseYamlValues(text).map(({ value, problems: yamlProblems }, index): UserRule => {
    const properties = isRow(value) ? value : {};
    const text = (name: string) => (typeof properties[name] === 'string' ? properties[name].trim() : '');
    const resource = api.findResource(text('resource'));
    const severity = severities.find((name) => name === properties.severity);
    const problems = [
      ...['name', 'message', 'sql'].flatMap((name) => (text(name) === '' ? [`${name} is required`] : [])),
      ...(/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(text('name') || 'x') ? [] : ['name must be in kebab case']),
      ...(severity ? [] : [`severity must be one of ${severities.join(', ')}`]),
      ...(resource ? [] : ['resource must be the resource of the IDs that the query returns']),
    ];
    const reportedProblems = yamlProblems.length > 0 ? [...yamlProblems] : problems;
    if (reportedProblems.length > 0) fields[`${file}, rule ${index + 1}`] = reportedProblems;
    const [name, message, sql] = [text('name'), text('message'), text('sql')];
    const summary = text('summary') || message;
    return { name, message, sql, summary, severity: severity ?? 'error', resource: resource as Resource };
  });
  if (Object.keys(fields).length === 0) return rules;
  throw usage('Invalid rules. Nothing was checked.', { fields });
}

/** Runs the query of a rule, read-only and with the limits of every query on the mirror. */
export async function runUserRule(rule: UserRule, reader: Reader): Promise<Finding[]> {
  const { name, severity, resource, message, sql } = rule;
  const { columns, rows } = await runQuery(reader, bindParameters(reader.dialect, sql, new Map(), []));
  if (!columns.includes('id')) throw usage(`The query of rule ${name} doesn't return a column "id".`);
  const findings: Finding[] = [];
  for await (const cells of rows) {
    if (cells.id === null) throw usage(`The query of rule ${name} returns a row without an "id".`);
    const row = { ...cells, id: String(cells.id) };
    const text = message.replaceAll(/\{(\w+)\}/g, (placeholder, column: string) =>
      String(cells[column] ?? placeholder),
    );
    findings.push(createFinding({ name, severity }, resource, row, text));
  }
  return findings;
}
