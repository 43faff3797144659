/** Numbers as the service wrote them: `19.90` is not `19.9` to somebody who checks a price list. */
import { ExactNumber } from '../../number-text.ts';
import { isRow, type Row } from '../../session/row.ts';

/** Zeros at the end of a fraction: nothing else is written otherwise than JavaScript would. */
const endsInZero = /\d\.\d*0[\s,}\]]/;

/** The same rows, from the body that they came in where that says more of their numbers. */
export function exactRows(rows: readonly Row[], body: string): readonly Row[] {
  if (!endsInZero.test(body)) return rows;
  const written = new Map(
    recordsIn(JSON.parse(body, asWritten)).map((record) => [String(record.id), record]),
  );
  return rows.map((row) => written.get(String(row.id)) ?? row);
}

function asWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source = '' } = context ?? {};
  return typeof value === 'number' && String(value) !== source ? new ExactNumber(source) : value;
}

/** Whatever stands around them. */
function recordsIn(body: unknown): Row[] {
  const lists = [body, ...(isRow(body) ? Object.values(body) : [])].filter(Array.isArray);
  return lists.flat().filter(isRow);
}
