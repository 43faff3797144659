/** What an operation does and what it needs, in the words of help. */
import type { Operation } from '../contract/operation.ts';

/** "Add one" of suppliers is "Add a supplier". */
export function summaryOf({ about, resource, effect }: Operation): string {
  const one = resource.one.replaceAll('-', ' ');
  const many = resource.command.replaceAll('-', ' ');
  const article = /^[aeio]/.test(one) ? 'an' : 'a';
  switch (effect) {
    case 'list':
      return `${about} ${many}`;
    case 'get':
      return resource.singleton ? resource.summary : `Show ${article} ${one}`;
    case 'create':
      return `Add ${article} ${one}`;
    case 'update':
      return `Change ${article} ${one}`;
    case 'delete':
      return `Delete ${many}`;
    case 'restore':
      return `Bring back deleted ${many}`;
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
  const many = resource.command.charAt(0).toUpperCase() + resource.command.slice(1).replaceAll('-', ' ');
  return resource.restore
    ? `${many} can be brought back: boh ${resource.command} restore ID`
    : `${many} can’t be brought back.`;
}
