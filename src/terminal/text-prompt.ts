/** A line of text asked for on a full terminal: to be changed where there is one already, and judged as it is typed. */
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
import type { TextQuestion } from './questions.ts';

export interface TextConfig extends TextQuestion {
  frame: Frame;
  isHidden?: boolean;
  /** What stays on the screen, where that is not the answer. */
  shownAs?: (answer: string) => string;
}

export const textPrompt = createPrompt<string | typeof back, TextConfig>((config, done) => {
  const { frame, message, hint, initial = '', validate, understood, isHidden = false } = config;
  const [value, setValue] = useState(initial);
  const [problem, setProblem] = useState<string | undefined>(config.problem);
  const [status, setStatus] = useState<'asked' | 'done' | 'back'>('asked');

  useEffect((rl) => {
    if (initial !== '') rl.write(initial);
  }, []);

  const goBack = () => {
    config.onLeave?.(value);
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
      // The line editor has emptied its line.
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
  const typed = isHidden ? '' : value;
  // What won’t do yet is red while it is typed; Enter says why.
  const isWrong = !isHidden && value !== '' && validate?.(value) !== undefined;
  const content = heading(frame, message, typed);
  const meaning = problem === undefined && !isWrong && value !== '' ? understood?.(value) : undefined;
  const below = [
    ...(problem === undefined ? [] : linesWithin(problem, width).map(red)),
    ...(meaning === undefined ? [] : linesWithin(`= ${meaning}`, width).map(green)),
    ...(hint ? linesWithin(hint, width).map(dim) : []),
    ...(isHidden ? [dim('What you type stays hidden.')] : []),
    ...(frame.canGoBack ? [tips(frame, ['Enter goes on', 'Esc goes back'])] : []),
  ];
  useWindow(frame, {
    above: content.split('\n').length - 1,
    below: below.length,
    column: (content.split('\n').at(-1) ?? '').length,
  });

  if (status !== 'asked' && frame.isGone) return '';
  if (status === 'done') {
    // What stays on the screen is what will be sent, where that was typed otherwise.
    const shown = config.shownAs?.(value) ?? (isHidden ? '' : (meaning ?? value));
    return answered(frame, message, shown);
  }
  return [isWrong ? content.replace(typed, () => red(typed)) : content, below.join('\n')];
});
