/** What of writes that are to come can't be taken back, said once each: before the question, in a dry run, and before it is sent. */
import { lastingFor } from '../../contract/lasting.ts';
import type { ForetoldWrite } from '../../session/write.ts';
import { note } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';

const notKnown = 'boh doesn’t know what this request changes, so that it can’t be undone.';

export function tellLasting(writes: readonly ForetoldWrite[], { streams, kept }: Context): void {
  if (streams.quiet) return;
  for (const { operation, body = {}, known } of writes) {
    for (const sentence of operation ? lastingFor(operation, body, known) : [notKnown]) {
      if (!kept.lasting.has(sentence)) note(streams, sentence);
      kept.lasting.add(sentence);
    }
  }
}
