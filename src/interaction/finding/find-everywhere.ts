/** One text looked for among the records of all kinds, by whatever each of them can be asked for. */
import type { Filter } from '../../contract/filter.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Failure } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import { labelOf } from '../output/wording.ts';
import { understand } from '../prompts/understand.ts';

export interface FoundRecord {
  resource: string;
  id: string;
  name: string;
}

export interface Finding {
  found: FoundRecord[];
  /** What was asked, one for each request: `customers by phone`. */
  asked: string[];
  /** Kinds that the token does not allow to list. */
  left: string[];
}

/** Throws what keeps the service from answering; what the token doesn’t allow is left out, and told. */
export async function findEverywhere(
  session: Session,
  resources: readonly Resource[],
  text: string,
): Promise<Finding> {
  const finding: Finding = { found: [], asked: [], left: [] };
  const parts = await Promise.all(
    resources.map(async (resource) => {
      try {
        return await findAmong(session, resource, text, finding.asked);
      } catch (error) {
        if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
        finding.left.push(resource.command);
        return [];
      }
    }),
  );
  finding.found = parts.flat();
  return finding;
}

async function findAmong(
  session: Session,
  resource: Resource,
  text: string,
  asked: string[],
): Promise<FoundRecord[]> {
  const list = operation(resource, 'list');
  if (!list) return [];
  const found = new Map<string, FoundRecord>();
  for (const { filter, value } of waysTo(resource, text)) {
    asked.push(`${resource.command} by ${filter.name}`);
    const reading = session.list(
      { operation: list, query: { filters: { [filter.name]: value } } },
      { isFirstPageOnly: true },
    );
    for await (const row of reading.rows()) {
      const id = String(row.id);
      found.set(id, { resource: resource.command, id, name: labelOf(resource, row) });
    }
  }
  return [...found.values()];
}

/** What the text can be of a kind: a part of its name, a whole code, a phone number, an address. */
function waysTo({ filters, key, title }: Resource, text: string): { filter: Filter; value: string }[] {
  const isPhone = /^[+\d][\d\s().-]{4,}$/.test(text);
  const isCode = /\d/.test(text) && !/\s/.test(text);
  return filters.flatMap((filter) => {
    const { traits } = filter.value;
    if (traits.form === 'email') return text.includes('@') ? { filter, value: text } : [];
    if (traits.form === 'phone') {
      const { value } = isPhone ? understand(filter.value, text, { now: new Date() }) : {};
      return typeof value === 'string' ? { filter, value } : [];
    }
    const isPart = filter.match === 'contains' && [title, ...key].includes(filter.on);
    if (isPart) {
      return isPhone || text.includes('@') ? [] : { filter, value: text };
    }
    return isCode && !isPhone && key.includes(filter.name) ? { filter, value: text } : [];
  });
}
