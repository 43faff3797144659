/** A result shown in the person’s pager, where it is longer than the window. */
import { openPaging } from '../../terminal/pager.ts';
import { OutputClosed } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';

/** Whoever leaves the pager has seen enough: that is a good end. */
export async function inPager({ streams, env, signal }: Context, show: () => Promise<void>): Promise<void> {
  const paging = openPaging(streams, env, signal);
  try {
    await show();
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  } finally {
    await paging.end();
  }
  signal.throwIfAborted();
}
