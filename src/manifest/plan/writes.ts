/** What a plan would send, without the ids: for whoever is to be told of it before. */
import { operation } from '../../contract/operation.ts';
import type { ForetoldWrite } from '../../session/write.ts';
import type { Plan } from './make-plan.ts';

export function writesOf({ changes }: Plan): ForetoldWrite[] {
  return changes.flatMap(({ action, resource, work }) => {
    const own: [verb: string, body?: ForetoldWrite['body']][] = [
      ...(action === 'delete' ? [['delete'] as [string]] : []),
      ...(work.create ? [['create', work.create] as [string, typeof work.create]] : []),
      ...(work.update ? [['update', work.update] as [string, typeof work.update]] : []),
    ];
    const writes = own.flatMap(([verb, body = {}]) => {
      const found = operation(resource, verb);
      return found ? [{ operation: found, body, known: work.known }] : [];
    });
    return [...writes, ...work.links.map((link) => ({ operation: link.operation, body: link.body ?? {} }))];
  });
}
