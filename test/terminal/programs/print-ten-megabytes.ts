/** Prints 10 MB line by line, as `main` would: exit 0 if the reader closes, the failure's exit code otherwise. */
import { Failure } from '../../../src/base/errors.ts';
import { reportFailure } from '../../../src/cli/terminal/messages.ts';
import { OutputClosed, openProcessStreams, writeAll } from '../../../src/cli/terminal/streams.ts';

function* lines() {
  for (let line = 0; line < 10_000; line += 1) yield `${'x'.repeat(999)}\n`;
}

const streams = openProcessStreams(process.env);
try {
  await writeAll(streams, lines());
} catch (error) {
  if (error instanceof Failure) {
    reportFailure(error, streams);
    process.exitCode = error.exitCode;
  } else if (!(error instanceof OutputClosed)) throw error;
}
