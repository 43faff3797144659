/** Decides the action for one row and its record: whether they belong together, and what the row wants. */

import type { Row } from '../../../account/session/row.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { withArticle } from '../../../api/contract/wording.ts';
import {
  type Decision,
  type Desired,
  decide,
  refuse,
  rowChangeOf,
  suspectValueProblems,
} from '../../runs/decide.ts';
import type { Intent, RowChange } from '../../runs/ledger/row.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';

/** The resource and options that the decision depends on, the same for all rows. */
export interface DecisionContext {
  resource: Resource;
  options: Pick<
    ImportOptions,
    'stale' | 'listMode' | 'onDeleted' | 'isReadOnlyIgnored' | 'acceptsDamage' | 'normalizesPhones'
  >;
}

/** Returns the change of the ledger row. `record` is the record that the row matches, if there is one. */
export function decideRow(intent: Intent, record: Row | undefined, context: DecisionContext): RowChange {
  const decision = record ? decideMatched(intent, record, context) : decideUnmatched(intent, context);
  return rowChangeOf(decision, idOf(record));
}

function decideUnmatched(intent: Intent, { resource, options }: DecisionContext): Decision {
  const { command, id, doubts, body } = intent;
  if (command !== 'create' && command !== 'upsert') {
    const unmatched = { what: `matches no ${resource.noun} to ${command}` };
    return { problems: [unmatched, ...suspectValueProblems(doubts, body)] };
  }
  if (id === undefined || options.isReadOnlyIgnored) return decide(desiredBy(intent, resource), undefined);
  const hint = 'if the file is from another account: --ignore-read-only';
  return refuse(
    command === 'create'
      ? `has the ID ${id}, which can't be set on a new ${resource.noun} (${hint})`
      : `has the ID ${id}, but no ${resource.noun} with this ID exists (${hint})`,
  );
}

function decideMatched(intent: Intent, record: Row, { resource, options }: DecisionContext): Decision {
  const id = idOf(record);
  if (id === null) return refuse(`matches ${withArticle(resource.noun)} whose ID the service doesn't return`);
  if (intent.command === 'create') return refuse(`already exists: ${resource.noun} ${id}`);
  const isForeignId = intent.id !== undefined && intent.id !== id;
  if (isForeignId && !options.isReadOnlyIgnored) {
    return refuse(`has the ID ${intent.id}, but its key belongs to the ${resource.noun} ${id}`);
  }
  const desired = desiredBy(isForeignId ? { ...intent, updatedAt: undefined } : intent, resource);
  return decide(desired, record, { ...options, lists: options.listMode });
}

function desiredBy({ command, body, ...intent }: Intent, resource: Resource): Desired {
  return command === 'delete'
    ? { resource, state: 'absent', values: {}, updatedAt: intent.updatedAt }
    : { ...intent, resource, state: 'present', values: body };
}

function idOf(record: Row | undefined): string | null {
  return typeof record?.id === 'string' && record.id !== '' ? record.id : null;
}
