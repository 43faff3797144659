/** Records the writes of a command in the history. It is loaded before the first write. */

import type { Settings } from '../../../account/settings/settings.ts';
import { parseExactJson } from '../../../base/number-text.ts';
import { redact, redactValue } from '../../../base/redaction.ts';
import { runsInProgress } from '../../../engine/changes/open-change-sets.ts';
import { Recorder } from '../../../engine/history/recording/recorder.ts';
import { newRunId } from '../../../engine/runs/ledger/run-id.ts';
import type { Context } from '../../context/context.ts';
import { redactCommandLine } from '../../input/command-line.ts';
import { noteIrreversible } from '../../prompts/confirm.ts';
import { note, warn } from '../../terminal/messages.ts';

/** Returns the JSON of an entry with known secrets redacted. The result is valid JSON. */
function redactJson(json: string): string {
  return redact(json) === json ? json : JSON.stringify(redactValue(parseExactJson(json)));
}

/** Creates the recorder of the command's writes. `folder` returns the folder of their account. */
export function createRecorder(
  settings: Settings,
  context: Context,
  folder: () => Promise<string>,
): Recorder {
  const { api, argv, recordedWrites, signal, streams } = context;
  const { history, profile } = settings;
  const recorder = new Recorder({
    api,
    folder,
    line: redact(redactCommandLine(argv.map(redact), api)),
    run: newRunId(context.now()),
    profile: profile ?? null,
    undoing: recordedWrites.undoing,
    change: recordedWrites.change,
    isReadBefore: history.before,
    isRequired: history.required,
    hide: redactJson,
    onProblem: (message) => warn(streams, message),
    onWait: (message) => note(streams, message),
    signal,
    onRead: (write) => noteIrreversible([write], context),
    onKept: (number, run) => {
      recordedWrites.count++;
      recordedWrites.number = number;
      recordedWrites.run = run;
    },
    keptRuns: runsInProgress,
    now: () => context.now().getTime(),
  });
  recordedWrites.finish.push(() => recorder.finish());
  return recorder;
}
