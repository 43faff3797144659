/** How many records a plan may delete: what a wrong folder would take away is never little. */
import { type FieldMessages, usage, violations } from '../../errors.ts';
import type { Plan } from './make-plan.ts';

/** Where nothing else is said: no more than so many of a resource, nor more than this share of it, in percent. */
const usual = { count: 10, share: 10 };

const form = /^(\d{1,9})(%?)$/;

/** `most` as typed: `25` or `5%`. Throws one failure for all resources of which more would go. */
export function refuseTooManyDeletions({ changes, counts }: Plan, most: string | undefined): void {
  const [, number = '', percent = ''] = form.exec(most ?? '') ?? [];
  if (most !== undefined && number === '') {
    throw violations('The command line', {
      'max-deletes': ['--max-deletes must be a number of records, such as 25, or a share, such as 5%'],
    });
  }
  const messages: FieldMessages = Object.create(null);
  for (const [resource, all] of counts) {
    const deleted = changes.filter(
      (change) => change.action === 'delete' && change.resource === resource,
    ).length;
    const share = Math.floor((all * (percent === '%' ? Number(number) : usual.share)) / 100);
    const count =
      most === undefined ? Math.min(usual.count, share) : percent === '%' ? share : Number(number);
    if (deleted > count)
      messages[resource.command] = [`${deleted} of ${all} would be deleted, and ${count} may be`];
  }
  if (Object.keys(messages).length === 0) return;
  throw usage('More records would be deleted than the line allows; nothing was sent.', {
    fields: messages,
    hint: `Without --max-deletes it is ${usual.count}, and ${usual.share} % of a resource. If they are to go: --max-deletes NUMBER.`,
  });
}
