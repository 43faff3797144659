/** The form of a file of rows that `-o` names, where it names one. */
import type { TableForm } from '../../tables/table.ts';

export function formNamed(output: string | undefined): TableForm | undefined {
  return output === 'csv' || output === 'json' || output === 'ndjson' ? output : undefined;
}
