/** The demo's tags, at least two of every type. */
import type { DemoWriter } from './demo-writer.ts';
import { readTable } from './table-text.ts';

const names = `
  Regular        | زبون دائم     | customer
  VIP            | كبار الزبائن  | customer
  Corporate      | شركات         | customer
  Open Late      | يعمل ليلا     | branch
  Drive Thru     | خدمة السيارات | branch
  Perishable     | سريع التلف    | inventory item
  Imported       | مستورد        | inventory item
  Catering       | حفلات         | order
  Complaint      | شكوى          | order
  Local          | محلي          | supplier
  Weekly         | أسبوعي        | supplier
  Full Time      | دوام كامل     | user
  On Trial       | تحت التجربة   | user
  Spicy          | حار           | product
  Vegetarian     | نباتي         | product
  Gift           | هدية          | product
`;

/** Ids by name. */
export function addTags(writer: DemoWriter): Map<string, string> {
  const types: Readonly<Record<string, number>> =
    writer.tables.api.resource('tags')?.fields.type?.traits.words ?? {};
  return new Map(
    readTable(names).map(([name = '', name_localized, type = '']) => [
      name,
      writer.add('tags', { name, name_localized, type: types[type] }),
    ]),
  );
}
