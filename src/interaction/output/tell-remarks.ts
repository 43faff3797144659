/** What people are told beside a result: commands in it are about the account of the line. */
import { note } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';

export async function tellRemarks(context: Context, remarks: readonly string[] = []): Promise<void> {
  if (remarks.length === 0) return;
  const { inPlace } = await import('../where.ts');
  for (const remark of remarks) note(context.streams, inPlace(remark, context));
}
