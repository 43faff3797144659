/** Declared records with their phone numbers as digits, however the files write them. */
import { withNormalizedPhones } from '../../contract/phone-form.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Declared, Given } from './declared.ts';
import { manifestFields } from './fields.ts';

/** A calling code that contradicts the record's own is among the mistakes. */
export function normalizedRecord(record: Declared, mistakes: Mistakes): Declared {
  const fields = manifestFields(record.resource);
  const values = Object.fromEntries([...record.given].map(([name, { value }]) => [name, value]));
  const { body, problems } = withNormalizedPhones(
    [...fields.values()].map(({ name, field }) => [name, field] as const),
    values,
  );
  for (const [name, what] of Object.entries(problems))
    mistakes.add(record.given.get(name)?.at ?? record.at, `${name} ${what}`);
  const given = new Map<string, Given>(record.given);
  for (const [name, value] of Object.entries(body)) {
    const field = fields.get(name);
    if (field && value !== values[name]) given.set(name, { at: record.at, ...given.get(name), field, value });
  }
  const key = record.key.map((part) => ({ ...part, value: body[part.name] ?? part.value }));
  return { ...record, given, key };
}
