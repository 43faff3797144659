/** Where the values come from that runs over many records take: modes, filters, runs. */
import type { Option } from 'commander';
import { columnsOf } from '../../bulk/columns/columns.ts';
import { listModes, modes } from '../../bulk/plan/options.ts';
import type { Resource } from '../../contract/resource.ts';
import { listOf, type Source, wordsSource } from '../../interaction/completion/candidate.ts';

/** Undefined for flags that are none of theirs. */
export function ofBulk({ long }: Option, resource: Resource | undefined): Source | undefined {
  switch (long) {
    case '--mode':
      return wordsSource(modes);
    case '--list-mode':
      return wordsSource(listModes);
    case '--stale':
      return wordsSource(['refuse', 'overwrite']);
    case '--on-deleted':
      return wordsSource(['restore', 'refuse']);
    case '--decimal':
      return wordsSource(['point', 'comma']);
    case '--dates':
      return wordsSource(['ymd', 'dmy', 'mdy']);
    case '--delimiter':
      return wordsSource(['comma', 'semicolon', 'tab', 'pipe']);
    case '--quote':
      return wordsSource(['double', 'single']);
    case '--key':
      return resource && listOf(wordsSource(keyColumns(resource)));
    default:
      return undefined;
  }
}

function keyColumns(resource: Resource): string[] {
  return columnsOf(resource)
    .filter(({ role, isById, field }) => role === 'value' && !isById && !field?.traits.secret)
    .map(({ name }) => name);
}
