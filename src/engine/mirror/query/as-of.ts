/** Makes a query read the mirror as it was at a time: its tables are replaced with their versions of that time. */
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import { usage } from '../../../base/errors.ts';
import { quoteName } from '../../../base/storage/quote-name.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { readingColumn } from '../schema/table.ts';
import { versionedColumns, versionsName } from '../schema/versions.ts';
import { textLiteral, viewsOf } from '../stores/ddl.ts';
import type { Reader } from '../stores/store.ts';
import { readStates, stateFor } from '../sync/states.ts';
import { namesIn } from './run-query.ts';

/**
 * Returns the query with a definition of each table and view of records that it names, as of the time. Throws a usage
 * failure if the mirror has no versions from that time, or the query isn't a SELECT.
 */
export async function queryAsOf(
  sql: string,
  time: Date,
  reader: Pick<Reader, 'read' | 'dialect' | 'label'>,
  resources: readonly MirroredResource[],
): Promise<string> {
  const isNamed = namesIn(sql);
  const at = formatTimestamp(time);
  const states = await readStates(reader);
  const definitions: string[] = [];
  for (const { resource, tables } of resources) {
    for (const table of tables) {
      const [wordsView] = viewsOf(reader.dialect, table).filter(({ name }) => name !== versionsName(table));
      const namesWords = wordsView !== undefined && isNamed(wordsView.name);
      if (!namesWords && !isNamed(table.name)) continue;
      const { versionsSince } = stateFor(states, resource.name);
      if (versionsSince === undefined || at < versionsSince) {
        throw usage(`The mirror ${reader.label} has no versions of ${resource.nouns} from ${at}.`, {
          hint:
            versionsSince === undefined
              ? 'The next sync begins to keep them.'
              : `It has versions since ${versionsSince} (UTC).`,
        });
      }
      const names = versionedColumns(reader.dialect, table).map(({ name }) => quoteName(name));
      const literal =
        reader.dialect === 'sqlite' ? textLiteral(at) : `CAST(${textLiteral(`${at}+00`)} AS timestamptz)`;
      definitions.push(`${quoteName(table.name)} AS (SELECT ${names.join(', ')}, CAST(NULL AS bigint) AS ${readingColumn} FROM ${quoteName(versionsName(table))}
        WHERE _valid_from <= ${literal} AND (_valid_to IS NULL OR _valid_to > ${literal}))`);
      if (namesWords) definitions.push(`${quoteName(wordsView.name)} AS (${wordsView.query})`);
    }
  }
  if (definitions.length === 0) return sql;
  const query = sql.replace(leadingSpace, '');
  const [withWord = '', recursive = ''] = /^with\s+(recursive\s+)?/i.exec(query) ?? [];
  if (withWord !== '') return `WITH ${recursive}${definitions.join(', ')}, ${query.slice(withWord.length)}`;
  if (!/^(?:\(|select\b|values\b|table\b)/i.test(query)) throw usage('--as-of needs a SELECT.');
  return `WITH ${definitions.join(', ')} ${query}`;
}

/** Matches spaces and comments before the first word. */
const leadingSpace = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/;
