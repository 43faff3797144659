/** A prompt for the text of a form field. While the user types, it checks the text and shows the parsed value. */
import { createPrompt, isEnterKey, isTabKey, useEffect, useState } from '@inquirer/core';
import {
  answeredLine,
  backResult,
  type Frame,
  heading,
  type Line,
  linesWithin,
  setLine,
  tipLine,
  useKeys,
  useWindow,
} from './prompt-frame.ts';
import type { FieldQuestion } from './questions.ts';

/** A field's question, and the window to draw it in. */
export interface FieldConfig extends FieldQuestion {
  frame: Frame;
}

/** Asks for the text. Inquirer's `input` can't show a hint and the value below the text, and can't keep a draft. */
export const fieldPrompt = createPrompt<string | typeof backResult, FieldConfig>((config, done) => {
  const { frame, message, hint, initial = '', validate, previewValue } = config;
  const [value, setValue] = useState(initial);
  const [problem, setProblem] = useState<string | undefined>(config.problem);
  const [status, setStatus] = useState<'asked' | 'done' | 'back'>('asked');

  useEffect((rl) => {
    if (initial !== '') rl.write(initial);
  }, []);

  const goBack = () => {
    config.onBack?.(value);
    setStatus('back');
    done(backResult);
  };
  useKeys(frame, goBack, (key, line: Line) => {
    if (status !== 'asked') return;
    if (isEnterKey(key)) {
      const answerProblem = validate?.(value);
      if (answerProblem === undefined) {
        setStatus('done');
        done(value);
        return;
      }
      // Enter has cleared the line of readline.
      if (value !== '') line.write(value);
      setProblem(answerProblem);
      return;
    }
    if (isTabKey(key)) setLine(line, value);
    else if (line.line !== value) setProblem(undefined);
    setValue(line.line);
  });

  const { dim, red, green } = frame.paint;
  const width = frame.width() - 1;
  // An invalid text is red while the user types. Enter shows the reason.
  const isInvalid = value !== '' && validate?.(value) !== undefined;
  const content = heading(frame, message, value);
  const preview = problem === undefined && !isInvalid && value !== '' ? previewValue?.(value) : undefined;
  const below = [
    ...(problem === undefined ? [] : linesWithin(problem, width).map(red)),
    ...(preview === undefined ? [] : linesWithin(`= ${preview}`, width).map(green)),
    ...(hint ? linesWithin(hint, width).map(dim) : []),
    ...(frame.canGoBack ? [tipLine(frame, ['Enter to continue', 'Esc to go back'])] : []),
  ];
  useWindow(frame, {
    above: content.split('\n').length - 1,
    below: below.length,
    column: (content.split('\n').at(-1) ?? '').length,
  });

  if (status !== 'asked' && frame.clearsWhenDone) return '';
  if (status === 'done') {
    // The value that is sent stays on the screen.
    return answeredLine(frame, message, preview ?? value);
  }
  return [isInvalid ? content.replace(value, () => red(value)) : content, below.join('\n')];
});
