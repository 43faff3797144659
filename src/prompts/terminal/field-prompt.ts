/** A prompt for the text of a form field, which checks the text and shows how it is read while it is typed. */
import { createPrompt, isEnterKey, isTabKey, useEffect, useState } from '@inquirer/core';
import {
  answered,
  back,
  type Frame,
  heading,
  type Line,
  linesWithin,
  setLine,
  tips,
  useKeys,
  useWindow,
} from './prompt-frame.ts';
import type { FieldQuestion } from './questions.ts';

/** A field's question, and the window to draw it in. */
export interface FieldConfig extends FieldQuestion {
  frame: Frame;
}

/** Asks for the text. The ready-made `input` can't show a hint and how the text is read below it, nor keep a draft. */
export const fieldPrompt = createPrompt<string | typeof back, FieldConfig>((config, done) => {
  const { frame, message, hint, initial = '', validate, understood } = config;
  const [value, setValue] = useState(initial);
  const [problem, setProblem] = useState<string | undefined>(config.problem);
  const [status, setStatus] = useState<'asked' | 'done' | 'back'>('asked');

  useEffect((rl) => {
    if (initial !== '') rl.write(initial);
  }, []);

  const goBack = () => {
    config.onBack?.(value);
    setStatus('back');
    done(back);
  };
  useKeys(frame, goBack, (key, line: Line) => {
    if (status !== 'asked') return;
    if (isEnterKey(key)) {
      const wrong = validate?.(value);
      if (wrong === undefined) {
        setStatus('done');
        done(value);
        return;
      }
      // Enter has cleared the line of readline.
      if (value !== '') line.write(value);
      setProblem(wrong);
      return;
    }
    if (isTabKey(key)) setLine(line, value);
    else if (line.line !== value) setProblem(undefined);
    setValue(line.line);
  });

  const { dim, red, green } = frame.paint;
  const width = frame.width() - 1;
  // A wrong text is red while it is typed; Enter shows why.
  const isWrong = value !== '' && validate?.(value) !== undefined;
  const content = heading(frame, message, value);
  const meaning = problem === undefined && !isWrong && value !== '' ? understood?.(value) : undefined;
  const below = [
    ...(problem === undefined ? [] : linesWithin(problem, width).map(red)),
    ...(meaning === undefined ? [] : linesWithin(`= ${meaning}`, width).map(green)),
    ...(hint ? linesWithin(hint, width).map(dim) : []),
    ...(frame.canGoBack ? [tips(frame, ['Enter to continue', 'Esc to go back'])] : []),
  ];
  useWindow(frame, {
    above: content.split('\n').length - 1,
    below: below.length,
    column: (content.split('\n').at(-1) ?? '').length,
  });

  if (status !== 'asked' && frame.isGone) return '';
  if (status === 'done') {
    // The value that is sent stays on the screen.
    return answered(frame, message, meaning ?? value);
  }
  return [isWrong ? content.replace(value, () => red(value)) : content, below.join('\n')];
});
