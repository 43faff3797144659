/** Relations that `--include` takes, one dotted step at a time. */
import { includableAfter } from '../../contract/include.ts';
import type { Resource } from '../../contract/resource.ts';
import { behind, type Candidate } from './candidate.ts';

export function includePaths(resource: Resource, typed: string): Candidate[] {
  const head = typed.slice(0, typed.lastIndexOf('.') + 1);
  const prefix = head.split('.').slice(0, -1);
  const names = includableAfter(resource, prefix) ?? [];
  return behind(
    head,
    names.map((value) => ({ value })),
  );
}
