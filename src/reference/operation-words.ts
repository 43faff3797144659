/** What an operation does and what it needs, in the words of help. */
import type { Operation } from '../contract/operation.ts';
import { capital, withArticle } from './names.ts';

/** "Add one" of suppliers is "Add a supplier". */
export function summaryOf({ about, resource, effect }: Operation): string {
  const one = withArticle(resource.noun);
  switch (effect) {
    case 'list':
      return `${about} ${resource.nouns}`;
    case 'get':
      return resource.singleton ? resource.summary : `Show ${one}`;
    case 'create':
      return `Add ${one}`;
    case 'update':
      return `Change ${one}`;
    case 'delete':
      return `Delete ${resource.nouns}`;
    case 'restore':
      return `Bring back deleted ${resource.nouns}`;
    default:
      return about;
  }
}

export function scopeLine({ scopes }: Operation): string {
  return scopes.length === 0
    ? 'The scope it needs is not documented.'
    : `Needs the scope ${scopes.join(' or ')}.`;
}

/** Whether what a delete removes can be brought back, and how; nothing for other operations. */
export function outlook({ effect, resource }: Operation): string | undefined {
  if (effect !== 'delete') return undefined;
  const many = capital(resource.nouns);
  return resource.restore
    ? `${many} can be brought back: boh ${resource.command} restore ID`
    : `${many} can’t be brought back.`;
}
