/** Bounds of a field that hold while another field has one of some values, held against a whole record. */
import type { Bounds, Limit } from '../../contract/bounds.ts';
import type { Operation } from '../../contract/operation.ts';
import type { FieldMessages } from '../../errors.ts';

type RecordValues = Readonly<Record<string, unknown>>;

/** `record` is what would be there after the write. Fields that are no numbers are told of elsewhere. */
export function limitProblems({ body, resource }: Operation, record: RecordValues): FieldMessages {
  const problems: FieldMessages = {};
  const wordAt = (name: string) => {
    const words = Object.entries(resource.fields[name]?.traits.words ?? {});
    return words.find(([, value]) => value === record[name])?.[0] ?? '';
  };
  for (const { name, field } of body) {
    const value = record[name];
    if (typeof value !== 'number') continue;
    const broken = (field.traits.limits ?? []).filter(
      (limit) => limit.is.includes(wordAt(limit.where)) && !keeps(limit, value),
    );
    if (broken.length > 0) problems[name] = broken.map(told);
  }
  return problems;
}

function keeps({ minimum, maximum, above, below }: Bounds, value: number): boolean {
  if (minimum !== undefined && value < minimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  if (above !== undefined && value <= above) return false;
  return below === undefined || value < below;
}

function told({ where, is, minimum, maximum, above, below }: Limit): string {
  const parts = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    above !== undefined && `greater than ${above}`,
    below !== undefined && `less than ${below}`,
  ].filter((part) => part !== false);
  return `must be ${parts.join(' and ')} while ${where} is ${is.join(' or ')}`;
}
