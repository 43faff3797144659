/** Warns before a record is created that looks like an existing one: the same phone number, email address or name. */
import type { Row } from '../../account/client/shape.ts';
import type { Field } from '../../api/contract/field.ts';
import { type Operation, operation as operationOf } from '../../api/contract/operation.ts';
import { isSimilarPhone } from '../../api/contract/phone-numbers.ts';
import { Failure } from '../../base/errors.ts';
import { foldWords } from '../../base/fold-text.ts';
import type { Context } from '../context/context.ts';
import { describeRecord } from '../output/wording.ts';
import { cleanLine } from '../terminal/clean.ts';
import { note } from '../terminal/messages.ts';
import { askToContinue } from './confirm.ts';
import { searchFilters } from './search.ts';

/** The maximum number of requests and of records that are named. */
const [maxRequests, maxNamed] = [3, 3];

/** Asks on a terminal before a record is created that looks like an existing one. Throws if the answer is no. */
export async function confirmNewRecord(context: Context, operation: Operation, body: Row): Promise<void> {
  const { streams, globals } = context;
  if (operation.effect !== 'create' || !streams.interactive || globals.yes || globals.dryRun) return;
  const similar = await findSimilar(context, operation, body);
  if (similar.length === 0) return;
  const { noun } = operation.resource;
  for (const { row, labels } of similar.slice(0, maxNamed)) {
    const name = describeRecord(noun, String(row.id), row);
    note(streams, cleanLine(`This looks like ${name}: same ${labels.join(' and ')}.`));
  }
  await askToContinue(`Create another ${noun}?`, context);
}

interface SimilarRecord {
  row: Row;
  /** The fields that are the same. */
  labels: string[];
}

async function findSimilar(context: Context, { resource }: Operation, body: Row): Promise<SimilarRecord[]> {
  const list = operationOf(resource, 'list');
  if (!list || resource.transactional) return [];
  const compared = Object.entries(resource.fields).filter(
    ([name, field]) =>
      typeof body[name] === 'string' && body[name] !== '' && (name === resource.title || isContact(field)),
  );
  const session = await context.session();
  const found = new Map<string, Row>();
  const queries = compared.flatMap(([name]) => searchFilters(resource, String(body[name])).slice(0, 1));
  for (const { filter, value } of queries.slice(0, maxRequests)) {
    try {
      const query = { filters: { [filter.name]: value } };
      const rows = session.list({ operation: list, query }, { isFirstPageOnly: true }).rows();
      for await (const row of rows) found.set(String(row.id), row);
    } catch (error) {
      // It is only a help: the creation reports a service that can't be read.
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    }
  }
  return [...found.values()].flatMap((row) => {
    const labels = compared
      .filter(([name, field]) => isSame(field, String(body[name]), String(row[name] ?? '')))
      .map(([name, { traits }]) => traits.label ?? name.replaceAll('_', ' '));
    return labels.length === 0 ? [] : [{ row, labels }];
  });
}

function isContact({ traits }: Field): boolean {
  return traits.form === 'phone' || traits.form === 'email';
}

function isSame({ traits }: Field, value: string, other: string): boolean {
  if (traits.form === 'phone') return isSimilarPhone(value, other);
  return foldWords(value).join(' ') === foldWords(other).join(' ');
}
